import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsAddressIn, serverAddressIn } from './service-ranges.ts';

for (const [range, server, names] of [
  ['10.96.0.0/16', '10.96.0.1', '10.96.0.10'],
  ['10.200.7.128/25', '10.200.7.129', '10.200.7.138'],
  ['10.96.7.9/12', '10.96.0.1', '10.96.0.10'],
  ['fd00:10:96::/112', 'fd00:10:96::1', 'fd00:10:96::a'],
] as const) {
  test(`names of ${range} are asked at ${names}`, () => assert.equal(dnsAddressIn(range), names));
  test(`the server is reached at ${server} of ${range}`, () => assert.equal(serverAddressIn(range), server));
}

test('what is no range has no address', () => assert.throws(() => dnsAddressIn('names'), { code: 'bad-range' }));
