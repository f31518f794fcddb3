import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInsider } from './insiders.ts';
import { firstOwnAddress } from './own-addresses.ts';

const RANGES = ['10.244.0.0/24', '192.0.2.7', 'fd00:1::/64'];
const ROWS: readonly (readonly [address: string, insiders: readonly string[] | undefined, isIn: boolean])[] = [
  ['127.0.0.1', RANGES, true],
  ['::1', RANGES, true],
  ['10.244.0.9', RANGES, true],
  ['::ffff:10.244.0.9', RANGES, true],
  ['192.0.2.7', RANGES, true],
  ['fd00:1::5', RANGES, true],
  ['10.244.1.9', RANGES, false],
  ['198.51.100.1', RANGES, false],
  ['198.51.100.1', [], false],
  ['198.51.100.1', undefined, true],
  [firstOwnAddress() ?? '127.0.0.1', [], true],
  ['', RANGES, false],
];

for (const [address, insiders, isIn] of ROWS) {
  test(`${address || 'nobody'} among ${insiders?.length ?? 'all'}`, () =>
    assert.equal(isInsider(address, insiders), isIn));
}
