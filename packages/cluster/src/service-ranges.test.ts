import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsAddressIn } from './service-ranges.ts';

for (const [range, address] of [
  ['10.96.0.0/16', '10.96.0.10'],
  ['10.200.7.128/25', '10.200.7.138'],
  ['10.96.7.9/12', '10.96.0.10'],
  ['fd00:10:96::/112', 'fd00:10:96::a'],
] as const) {
  test(`names of ${range} are asked at ${address}`, () => assert.equal(dnsAddressIn(range), address));
}

test('what is no range has no address', () => assert.throws(() => dnsAddressIn('names'), { code: 'bad-range' }));
