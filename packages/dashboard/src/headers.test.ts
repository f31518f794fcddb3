import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { isOwn, ownHosts, pageHeaders, replyHeaders, requestHeaders } from './headers.ts';

test('scripts and styles come from the own origin or carry the nonce of this one answer', () => {
  const policy = pageHeaders('n')['content-security-policy'] ?? '';
  match(policy, /^default-src 'none'; script-src 'self' 'nonce-n'; style-src 'self' 'nonce-n'; /);
  equal(/unsafe|\*/.test(policy), false);
});

test('credentials, cookies and hop by hop headers are not passed either way', () => {
  deepEqual(requestHeaders({ authorization: 'Bearer x', cookie: 'a', accept: 'application/json', host: 'h' }), {
    accept: 'application/json',
  });
  const passed = replyHeaders({ 'set-cookie': 'a', connection: 'close', 'content-type': 'text/html', warning: ['a'] });
  deepEqual(Object.keys(passed).toSorted(), [
    'cache-control',
    'content-security-policy',
    'content-type',
    'cross-origin-resource-policy',
    'warning',
    'x-content-type-options',
  ]);
});

const HOSTS = new Set(['127.0.0.1:8001', 'localhost:8001']);
const ROWS: readonly (readonly [host: string | undefined, origin: string | undefined, own: boolean])[] = [
  ['127.0.0.1:8001', undefined, true],
  ['127.0.0.1:8001', 'http://127.0.0.1:8001', true],
  ['localhost:8001', 'http://localhost:8001', true],
  ['127.0.0.1:8001', 'http://localhost:8001', false],
  ['evil.example:8001', 'http://evil.example:8001', false],
  ['127.0.0.1:8001', 'https://127.0.0.1:6443', false],
  ['127.0.0.1:8001', 'null', false],
  [undefined, undefined, false],
];
for (const [host, origin, own] of ROWS) {
  test(`a request for ${host} from ${origin} is ${own ? 'own' : 'foreign'}`, () =>
    equal(isOwn({ host, origin }, HOSTS), own));
}

for (const [port, isSecure, hosts] of [
  [8080, false, ['localhost:8080']],
  [80, false, ['localhost', 'localhost:80']],
  [443, true, ['localhost', 'localhost:443']],
  [443, false, ['localhost:443']],
] as const) {
  test(`hosts at port ${port}${isSecure ? ' over TLS' : ''}`, () =>
    deepEqual([...ownHosts(['localhost'], { port, isSecure })], hosts));
}
