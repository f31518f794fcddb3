import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePath } from './path.ts';
import { toldPath, toldQuery } from './told-request.ts';

const infoOf = (path: string) => ({ ...parsePath(path), path });

const PATHS: readonly (readonly [path: string, told: string])[] = [
  ['/api/v1/namespaces/a/pods', '/api/v1/namespaces/a/pods'],
  ['/api/v1/namespaces/proxy/pods/proxy', '/api/v1/namespaces/proxy/pods/proxy'],
  [
    '/api/v1/namespaces/a/pods/a-name-that-is-longer-than-that',
    '/api/v1/namespaces/a/pods/a-name-that-is-longer-than-that',
  ],
  ['/api/v1/namespaces/a/pods/p/proxy', '/api/v1/namespaces/a/pods/p/proxy'],
  ['/api/v1/namespaces/a/pods/p/proxy/', '/api/v1/namespaces/a/pods/p/proxy/'],
  ['/api/v1/namespaces/a/pods/https:p:80/proxy/login/form', '/api/v1/namespaces/a/pods/https:p:80/proxy/login/form'],
  ['/api/v1/namespaces/a/pods/p/proxy/login;id=1/form', '/api/v1/namespaces/a/pods/p/proxy/login/form'],
  ['/api/v1/nodes/n/proxy/x%3Ftoken=1', '/api/v1/nodes/n/proxy/x'],
  ['/api/v1/nodes/n/proxy/x%253Ftoken/proxy/%2e', '/api/v1/nodes/n/proxy/x/proxy/'],
  ['/api/v1/nodes/n/proxy/AbCdEfGhIjKlMnOpQrStUv', '/api/v1/nodes/n/proxy/<masked>'],
  ['/apis/g.example/v1/namespaces/a/things/t/proxy/k=v', '/apis/g.example/v1/namespaces/a/things/t/proxy/k'],
  ['/somewhere/proxy/key=1', '/somewhere/proxy/key'],
];
for (const [path, told] of PATHS) {
  test(`the path ${path}`, () => assert.equal(toldPath(infoOf(path)), told));
}

const PODS = '/api/v1/namespaces/a/pods';
const QUERIES: readonly (readonly [path: string, query: string, told: string])[] = [
  [PODS, '', ''],
  [PODS, 'fieldSelector=spec.nodeName%3Dn&watch=1', 'fieldSelector=spec.nodeName%3Dn&watch=1'],
  [PODS, 'limit=5&continue=abc', 'limit=5&continue=abc'],
  [PODS, 'access_token=a&limit=1', 'access_token=%3Cmasked%3E&limit=1'],
  [PODS, '%74oken=a', 'token=%3Cmasked%3E'],
  [PODS, 'token=a&token=b', 'token=%3Cmasked%3E&token=%3Cmasked%3E'],
  [PODS, 'X-Amz-Signature=a', 'X-Amz-Signature=%3Cmasked%3E'],
  [`${PODS}/p/exec`, 'command=a&command=b&container=c', 'command=%3Cmasked%3E&command=%3Cmasked%3E&container=c'],
  [`${PODS}/p/attach`, 'container=c', 'container=c'],
  [`${PODS}/p/proxy/x`, 'a=b', ''],
  [`${PODS}/p`, 'command=a', 'command=a'],
];
for (const [path, query, told] of QUERIES) {
  test(`the query ${query} of ${path}`, () => assert.equal(toldQuery(infoOf(path), query), told));
}
