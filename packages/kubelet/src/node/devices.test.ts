import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceNumbers } from './devices.ts';

for (const [packed, major, minor] of [
  [0x0703, 7, 3],
  [0x0801, 8, 1],
  [0x100700, 7, 256],
] as const)
  test(`device ${packed.toString(16)}`, () => assert.deepEqual(deviceNumbers(packed), { major, minor }));
