import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionCredentials } from './connection-credentials.ts';

const certificate = { commonName: 'jane', organizations: [] };

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
    const found = new ConnectionCredentials({ certificate }).of(header);
    assert.deepEqual(found, token === undefined ? { certificate } : { certificate, bearerToken: token });
  });
}

test('the object stays while the token does', () => {
  const connection = new ConnectionCredentials({});
  const first = connection.of('Bearer a');
  assert.equal(connection.of('Bearer a'), first);
  assert.deepEqual(connection.of('Bearer b'), { bearerToken: 'b' });
  assert.deepEqual(connection.of(undefined), {}, 'a request without a token has none');
  assert.deepEqual(connection.of('Bearer a'), { bearerToken: 'a' });
});
