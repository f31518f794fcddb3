import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endToEnd, readHead } from './head.ts';
import type { ReadHead } from './head.ts';

const ARRIVAL = { remoteAddress: '::ffff:192.0.2.7', isSecure: true, port: 443 };
const read = (rawHeaders: readonly string[], target = '/x'): ReadHead | number =>
  readHead({ method: 'GET', target, rawHeaders }, ARRIVAL);
const headersOf = (rawHeaders: readonly string[]) => (read(rawHeaders) as ReadHead).headers;

test('what is about the connection ends here; what the client says of itself is not believed', () => {
  const sent = ['Host', 'A.example:8443', 'Connection', 'close, X-Hop', 'X-Hop', '1', 'X-Forwarded-For', '10.0.0.1'];
  const more = [
    'Forwarded',
    'for=10.0.0.1',
    'TE',
    'trailers',
    'Upgrade',
    'h2c',
    'HTTP2-Settings',
    'x',
    'Expect',
    '100-continue',
  ];
  assert.deepEqual(headersOf([...sent, ...more, 'Accept', 'a', 'accept', 'b']), {
    accept: ['a', 'b'],
    host: 'A.example:8443',
    'x-real-ip': '192.0.2.7',
    'x-forwarded-for': '192.0.2.7',
    'x-forwarded-host': 'A.example:8443',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
  });
});

test('the host as rules name it, wherever it is said', () => {
  const rows: readonly (readonly [rawHeaders: readonly string[], target: string])[] = [
    [['host', 'A.Example:80'], '/'],
    [[':authority', 'a.example', ':path', '/'], '/'],
    [[':authority', 'a.example', 'host', 'b.example'], '/'],
    [['host', 'b.example'], 'http://a.example/'],
  ];
  for (const [rawHeaders, target] of rows) assert.equal((read(rawHeaders, target) as ReadHead).host, 'a.example');
});

test('nothing of the family that servers believe comes from the client, however it is written', () => {
  const names = [
    'X-Forwarded-Scheme',
    'X-Forwarded-Ssl',
    'X-Forwarded-Prefix',
    'X_FORWARDED_USER',
    'x-forwarded-groups',
  ];
  const sent = ['Host', 'a', ...names.flatMap((name) => [name, 'evil']), 'X-Forwarding', 'mine'];
  const headers = headersOf(sent);
  assert.equal(JSON.stringify(headers).includes('evil'), false);
  assert.equal(headers['x-forwarding'], 'mine');
});

const REFUSED: readonly (readonly [name: string, rawHeaders: readonly string[], target: string, status: number])[] = [
  ['no host', [], '/', 400],
  ['two hosts', ['host', 'a', 'Host', 'b'], '/', 400],
  ['a host with a user', ['host', 'u@a'], '/', 400],
  ['no path', ['host', 'a'], '*', 400],
  ['a host with a path behind its port', ['host', 'a:80/b'], '/', 400],
  ['a host with more than figures for a port', ['host', 'a:80:b.example'], '/', 400],
  ['a host with a space', [':authority', 'a b'], '/', 400],
  ['a host in letters of no URI', ['host', 'b\u00fccher.example'], '/', 400],
  ['a target that would be two', ['host', 'a'], '/x HTTP/1.1', 400],
  ['another coding', ['host', 'a', 'transfer-encoding', 'gzip, chunked'], '/', 501],
];
for (const [name, rawHeaders, target, status] of REFUSED) {
  test(`refused: ${name}`, () => assert.equal(read(rawHeaders, target), status));
}

test('cookies of HTTP/2 become one line; names of prototypes are names', () => {
  const headers = headersOf([
    ':authority',
    'a',
    'cookie',
    'a=1',
    'cookie',
    'b=2',
    '__proto__',
    'x',
    'constructor',
    'y',
  ]);
  assert.equal(headers['cookie'], 'a=1; b=2');
  assert.equal(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value, 'x');
  assert.equal(headers['constructor'], 'y');
});

test('replies keep their lines', () => {
  const raw = [
    'Set-Cookie',
    'a',
    'Set-Cookie',
    'b',
    'Keep-Alive',
    'timeout=5',
    'Connection',
    'keep-alive',
    'Host',
    'x',
  ];
  assert.deepEqual(endToEnd(raw), { 'set-cookie': ['a', 'b'], host: 'x' });
});
