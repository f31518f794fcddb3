import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress, parseListen, portOf } from './listen-address.ts';

test('where to listen', () => {
  assert.deepEqual(parseListen(':6443'), { host: '127.0.0.1', port: 6443 });
  assert.deepEqual(parseListen('[::1]:0'), { host: '::1', port: 0 });
  assert.throws(() => parseListen('localhost'), /expected HOST:PORT/);
});

test('the port of a server, also where it is the one of https', () => {
  assert.deepEqual(['https://127.0.0.1:6443', 'https://[::1]:443'].map(portOf), [6443, 443]);
});

for (const [text, refusal] of [
  ['192.0.2.1', undefined],
  ['2001:db8::1', undefined],
  ['host', /expected an IP address/],
  ['0.0.0.0', /expected one address/],
  ['127.0.0.1', /expected no loopback address/],
  ['::1', /expected no loopback address/],
] as const) {
  test(`an address for others: ${text}`, () => {
    if (refusal === undefined) assert.equal(parseAddress(text), text);
    else assert.throws(() => parseAddress(text), refusal);
  });
}
