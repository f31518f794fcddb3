import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import type { ComputedResource } from '../catalogue/catalogue.ts';
import type { ServedResource } from '../catalogue/definition.ts';
import { requestInfo } from '../request/info.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseQuery } from '../request/query.ts';
import { findComputedHandler, findConnect, findHandler } from './find-handler.ts';
import type { Verbs } from './verbs.ts';

const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const named = (name: string): never => Object.assign(() => undefined, { verb: name }) as never;
const VERBS = Object.fromEntries(ALL.map((verb) => [verb, named(verb)])) as unknown as Verbs;

function infoOf(asked: string): ReturnType<typeof requestInfo> {
  const [method = '', url = ''] = asked.split(' ');
  const [path = '', query = ''] = url.split('?');
  return requestInfo({ method, path, query: parseQuery(query) } as ApiRequest);
}

function served(resource: string, namespaced: boolean, answeredVerbs = ALL, isCustom = false): ServedResource {
  const subresources = [
    { name: 'status', kind: 'X', verbs: ['get', 'patch', 'update'] },
    { name: 'late', kind: 'X', verbs: ['get'] },
    { name: 'proxy', kind: 'PodProxyOptions', verbs: ['get'] },
  ];
  return {
    info: { group: '', resource, namespaced, subresources },
    answeredVerbs,
    isCustom,
    subresources: {
      status: { handlers: { get: named('get status'), update: named('update status') } },
      proxy: { handlers: {}, connect: named('connect') },
    },
  } as unknown as ServedResource;
}

function outcome(find: () => unknown): string {
  try {
    return (find() as { readonly verb: string }).verb;
  } catch (error) {
    if (error instanceof StatusError) return `${error.status.code} ${error.status.reason}`;
    throw error;
  }
}

const NO_METHOD = '405 MethodNotAllowed';
const NO_RESOURCE = '404 NotFound';

// Provenance: customresource_handler.go v1.36.
const boats = served('boats', true, ['get', 'list', 'update'], true);
const OF_CUSTOM: readonly (readonly [asked: string, on: ServedResource, answer: string])[] = [
  ['GET /api/v1/boats', boats, 'list'],
  ['POST /api/v1/namespaces/a/boats', boats, 'create'],
  ['POST /api/v1/namespaces/a/boats/b', boats, 'create'],
  ['OPTIONS /api/v1/namespaces/a/boats/b', boats, NO_METHOD],
  ['PUT /api/v1/namespaces/a/boats', boats, '400 BadRequest'],
  ['POST /api/v1/boats', boats, NO_RESOURCE],
  ['DELETE /api/v1/boats', boats, NO_RESOURCE],
  ['GET /api/v1/boats/b/status', boats, NO_RESOURCE],
  ['DELETE /api/v1/namespaces/a/boats/b/status', boats, NO_METHOD],
  ['GET /api/v1/namespaces/a/boats/b/none', boats, NO_RESOURCE],
];

describe('what answers a request on what is stored', () => {
  const pods = served('pods', true);
  const nodes = served('nodes', false);
  const rows: readonly (readonly [asked: string, on: ServedResource, answer: string])[] = [
    ['GET /api/v1/namespaces/a/pods/p', pods, 'get'],
    ['GET /api/v1/namespaces/a/pods', pods, 'list'],
    ['GET /api/v1/pods', pods, 'list'],
    ['GET /api/v1/pods?watch=1', pods, 'watch'],
    ['POST /api/v1/namespaces/a/pods', pods, 'create'],
    ['PUT /api/v1/namespaces/a/pods/p', pods, 'update'],
    ['DELETE /api/v1/namespaces/a/pods', pods, 'deletecollection'],
    ['POST /api/v1/pods', pods, NO_METHOD],
    ['DELETE /api/v1/pods', pods, NO_METHOD],
    ['GET /api/v1/pods/p', pods, NO_RESOURCE],
    ['PUT /api/v1/pods/p', pods, NO_RESOURCE],
    ['DELETE /api/v1/pods/p', pods, NO_RESOURCE],
    ['POST /api/v1/namespaces/a/pods/p', pods, NO_METHOD],
    ['PUT /api/v1/namespaces/a/pods', pods, NO_METHOD],
    ['PATCH /api/v1/namespaces/a/pods', pods, NO_METHOD],
    ['OPTIONS /api/v1/namespaces/a/pods', pods, NO_METHOD],
    ['GET /api/v1/nodes/n', nodes, 'get'],
    ['DELETE /api/v1/nodes', nodes, 'deletecollection'],
    ['POST /api/v1/nodes', nodes, 'create'],
    ['GET /api/v1/namespaces/a/nodes/n', nodes, NO_RESOURCE],
    ['GET /api/v1/namespaces/a', served('namespaces', false), 'get'],
    ['DELETE /api/v1/namespaces', served('namespaces', false, ['get', 'list']), NO_METHOD],
    ['GET /api/v1/namespaces/a/pods/p/status', pods, 'get status'],
    ['PATCH /api/v1/namespaces/a/pods/p/status', pods, '501 NotImplemented'],
    ['DELETE /api/v1/namespaces/a/pods/p/status', pods, NO_METHOD],
    ['GET /api/v1/namespaces/a/pods/p/late', pods, '501 NotImplemented'],
    ['GET /api/v1/namespaces/a/pods/p/constructor', pods, NO_RESOURCE],
    ['GET /api/v1/namespaces/a/pods/p/none', pods, NO_RESOURCE],
  ];
  for (const [asked, on, answer] of [...rows, ...OF_CUSTOM]) {
    test(asked, () =>
      assert.equal(
        outcome(() => findHandler(VERBS, on, infoOf(asked))),
        answer,
      ),
    );
  }

  test('what is passed on', () => {
    const connect = (asked: string): unknown => findConnect(pods, infoOf(asked));
    assert.equal(
      outcome(() => connect('GET /api/v1/namespaces/a/pods/p/proxy/x')),
      'connect',
    );
    for (const path of ['p', 'p/status', 'p/constructor', 'p/__proto__']) {
      assert.equal(connect(`GET /api/v1/namespaces/a/pods/${path}`), undefined);
    }
  });
});

describe('what answers a request on what is worked out', () => {
  const handlers = { create: named('create'), list: named('list') };
  const computed = {
    info: { group: 'authorization.k8s.io', resource: 'reviews', verbs: ['create', 'get', 'list'] },
    handlers,
  } as unknown as ComputedResource;
  const base = '/apis/authorization.k8s.io/v1/reviews';
  const rows: readonly (readonly [asked: string, answer: string])[] = [
    [`POST ${base}`, 'create'],
    [`GET ${base}`, 'list'],
    [`GET ${base}/x`, '501 NotImplemented'],
    [`GET ${base}?watch=1`, NO_METHOD],
    [`DELETE ${base}/x`, NO_METHOD],
    [`CONSTRUCTOR ${base}`, NO_METHOD],
    [`GET ${base}/x/status`, NO_METHOD],
  ];
  for (const [asked, answer] of rows) {
    test(asked, () =>
      assert.equal(
        outcome(() => findComputedHandler(computed, infoOf(asked))),
        answer,
      ),
    );
  }
});
