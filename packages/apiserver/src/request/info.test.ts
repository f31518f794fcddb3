import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiRequest } from './api-request.ts';
import { requestInfo } from './info.ts';
import { parseQuery } from './query.ts';
import { requiredField } from './required-field.ts';

function infoOf(asked: string): ReturnType<typeof requestInfo> {
  const [method = '', url = ''] = asked.split(' ');
  const [path = '', query = ''] = url.split('?');
  return requestInfo({ method, path, query: parseQuery(query) } as ApiRequest);
}

describe('what a request is about', () => {
  type Row = readonly [asked: string, verb: string, resource: string, name: string];
  const rows: readonly Row[] = [
    ['GET /api/v1/namespaces/n/pods', 'list', 'pods', ''],
    ['HEAD /api/v1/namespaces/n/pods', 'list', 'pods', ''],
    ['GET /api/v1/namespaces/n/pods?watch=1', 'watch', 'pods', ''],
    ['GET /api/v1/namespaces/n/pods?watch', 'watch', 'pods', ''],
    ['GET /api/v1/namespaces/n/pods?watch=FALSE', 'list', 'pods', ''],
    ['GET /api/v1/namespaces/n/pods?watch=0', 'list', 'pods', ''],
    ['GET /api/v1/namespaces/n/pods?watch=no', 'watch', 'pods', ''],
    ['GET /api/v1/namespaces/n/pods/p?watch=1', 'get', 'pods', 'p'],
    ['GET /api/v1/namespaces/n', 'get', 'namespaces', 'n'],
    ['POST /api/v1/namespaces/n/pods?watch=1', 'create', 'pods', ''],
    ['PUT /api/v1/namespaces/n/pods/p', 'update', 'pods', 'p'],
    ['PATCH /api/v1/namespaces/n/pods/p/status', 'patch', 'pods', 'p'],
    ['DELETE /api/v1/namespaces/n/pods/p', 'delete', 'pods', 'p'],
    ['DELETE /api/v1/namespaces/n/pods', 'deletecollection', 'pods', ''],
    ['OPTIONS /api/v1/namespaces/n/pods', '', 'pods', ''],
    ['CONSTRUCTOR /api/v1/namespaces/n/pods', '', 'pods', ''],
    ['GET /api/v1/watch/namespaces/n/pods', 'watch', 'pods', ''],
    ['DELETE /api/v1/watch/namespaces/n/pods/p', 'watch', 'pods', 'p'],
    ['GET /healthz', 'get', '', ''],
    ['OPTIONS /apis', 'options', '', ''],
    ['GET /api/v1', 'get', '', ''],
  ];
  for (const [asked, verb, resource, name] of rows) {
    test(asked, () => {
      const info = infoOf(asked);
      assert.deepEqual([info.verb, info.resource, info.name], [verb, resource, name]);
    });
  }
});

describe('what a request makes at a path is found out once', () => {
  const rows: readonly (readonly [asked: string, isOnce: boolean])[] = [
    ['POST /api/v1/namespaces/n/pods', true],
    ['POST /apis/apps/v1/namespaces/n/deployments', true],
    ['POST /api/v1/namespaces', true],
    ['POST /api/v1/namespaces/n/pods?dryRun=All', true],
    ['POST /api/v1/namespaces/m/pods?dryRun=All', false],
    ['POST /api/v1/namespaces/n/pods/p/eviction', false],
    [`POST /api/v1/namespaces/${'n'.repeat(250)}/pods`, false],
    ['POST /api/v1/watch/namespaces/n/pods', false],
    ['POST /healthz', false],
    ['GET /api/v1/namespaces/n/pods', false],
  ];
  for (const [asked, isOnce] of rows) {
    test(asked.slice(0, 60), () => {
      const info = infoOf(asked);
      assert.equal(infoOf(asked) === info, isOnce);
      assert.deepEqual(infoOf(asked), info);
      assert.equal(Object.isFrozen(info), isOnce);
    });
  }
});

describe('the one name that a list or watch is narrowed to', () => {
  const ofPods = (query: string): string => infoOf(`GET /api/v1/namespaces/n/pods?${query}`).name;
  const rows: readonly (readonly [name: string, selector: string, wanted: string])[] = [
    ['one', 'metadata.name=p', 'p'],
    ['by two signs', 'metadata.name==p', 'p'],
    ['beside others', 'spec.nodeName=n,metadata.name=p,status.phase!=Failed', 'p'],
    ['the first of several', 'metadata.name=p,metadata.name=q', 'p'],
    ['all but one', 'metadata.name!=p', ''],
    ['another field that ends so', 'x.metadata.name=p', ''],
    ['within a value', 'a=b\\,metadata.name\\=p', ''],
    ['within a value that is not escaped', 'a=b\\,metadata.name=p', ''],
    ['with an escape', 'metadata.name=p\\,q', 'p,q'],
    ['what no path can say', 'metadata.name=a/b', ''],
    ['a place in the tree', 'metadata.name=..', ''],
    ['with a percent sign', 'metadata.name=a%25b', ''],
    ['none', 'metadata.name=', ''],
    ['what nobody can read', 'metadata.name=p,=,x', ''],
  ];
  for (const [name, selector, wanted] of rows) {
    test(name, () => {
      const text = selector.includes('%') ? selector : encodeURIComponent(selector);
      assert.equal(ofPods(`fieldSelector=${text}`), wanted);
      assert.equal(ofPods(`watch=1&fieldSelector=${text}`), wanted);
    });
  }

  const others: readonly (readonly [asked: string, wanted: string])[] = [
    ['DELETE /api/v1/namespaces/n/pods?fieldSelector=metadata.name=p', ''],
    ['POST /api/v1/namespaces/n/pods?fieldSelector=metadata.name=p', ''],
    ['GET /api/v1/namespaces/n/pods/q?fieldSelector=metadata.name=p', 'q'],
    ['GET /api/v1/watch/namespaces/n/pods?fieldSelector=metadata.name=p', ''],
  ];
  for (const [asked, wanted] of others) test(`not of ${asked}`, () => assert.equal(infoOf(asked).name, wanted));
});

test('the value that a selector requires of a field', () => {
  assert.equal(requiredField('spec.nodeName=n1', 'spec.nodeName'), 'n1');
  assert.equal(requiredField('status.phase!=x\\,spec.nodeName', 'spec.nodeName'), undefined);
  assert.equal(requiredField('spec.nodeName', 'spec.nodeName'), undefined);
  assert.equal(requiredField('', 'spec.nodeName'), undefined);
});
