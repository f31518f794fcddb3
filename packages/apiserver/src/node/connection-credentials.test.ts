import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionCredentials } from './connection-credentials.ts';

const none: readonly string[] = [];
const certificate = { commonName: 'jane', organizations: [], fingerprint: 'c0de' };

const rows: readonly (readonly [name: string, header: string | undefined, token: string | undefined])[] = [
  ['no header', undefined, undefined],
  ['a token', 'Bearer abc', 'abc'],
  ['a token between blanks', 'Bearer   abc ', 'abc'],
  ['the scheme in lower case', 'bearer abc', 'abc'],
  ['the scheme in capitals', 'BEARER abc', 'abc'],
  ['no blank between', 'bearerabc', undefined],
  ['another scheme', 'Basic abc', undefined],
];
for (const [name, header, token] of rows) {
  test(name, () => {
    const found = new ConnectionCredentials({ certificate }).of(header, none);
    assert.deepEqual(found, token === undefined ? { certificate } : { certificate, bearerToken: token });
  });
}

test('the object stays while the token does', () => {
  const connection = new ConnectionCredentials({});
  const first = connection.of('Bearer a', none);
  assert.equal(connection.of('Bearer a', none), first);
  assert.deepEqual(connection.of('Bearer b', none), { bearerToken: 'b' });
  assert.deepEqual(connection.of(undefined, none), {}, 'a request without a token has none');
  assert.deepEqual(connection.of('Bearer a', none), { bearerToken: 'a' });
});

test('a front proxy says who asks with each request', () => {
  const raw = ['X-Remote-User', 'jane'];
  const { frontProxy } = new ConnectionCredentials({ frontProxy: { commonName: 'proxy' } }).of(undefined, raw);
  assert.equal(frontProxy?.commonName, 'proxy');
  assert.deepEqual([...(frontProxy?.headerLines() ?? [])], [['x-remote-user', 'jane']]);
});
