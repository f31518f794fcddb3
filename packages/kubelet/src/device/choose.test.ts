import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeviceNeed, chooseDevices } from './choose.ts';

const rows: readonly [string, DeviceNeed, readonly string[] | undefined][] = [
  ['the first that are free', { count: 2, free: ['a', 'b', 'c'], reusable: [] }, ['a', 'b']],
  ['not enough', { count: 3, free: ['a', 'b'], reusable: [] }, undefined],
  ['those of init containers first', { count: 2, free: ['a', 'b'], reusable: ['z'] }, ['z', 'a']],
  ['what the plugin prefers', { count: 2, free: ['a', 'b', 'c'], reusable: [], preferred: ['c', 'a'] }, ['c', 'a']],
  ['not what is not there', { count: 1, free: ['a'], reusable: [], preferred: ['x'] }, ['a']],
  ['no more than are wanted', { count: 1, free: ['a'], reusable: ['y', 'z'] }, ['y']],
];
for (const [name, need, wanted] of rows) test(name, () => assert.deepEqual(chooseDevices(need), wanted));
