import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeletConfig } from '../config.ts';
import type { NodeUsage } from '../figures.ts';
import { testMachine } from '../testing/node.ts';
import { podsMemoryBytes, reservedOf } from './reserve.ts';

const systemReserved = { milliCpu: 1, memoryBytes: 2, ephemeralStorageBytes: 3 };
const config = kubeletConfig({
  nodeName: 'n',
  systemReserved,
  evictionHard: { 'memory.available': '100', 'nodefs.available': '10%' },
});

test('what must be left is kept on a machine, and not where there is none', () => {
  const machine = { ...testMachine, ephemeralStorageBytes: 1_000 };
  assert.deepEqual(reservedOf(config, machine).slice(1), [systemReserved]);
  const real = { ...machine, usage: async () => ({}) as NodeUsage };
  assert.deepEqual(reservedOf(config, real)[2], { milliCpu: 0, memoryBytes: 100, ephemeralStorageBytes: 100 });
});

test('pods together may use what is not reserved by name', () => {
  assert.equal(podsMemoryBytes(config, { ...testMachine, memoryBytes: 1_000 }), 998);
  assert.equal(podsMemoryBytes(config, { ...testMachine, memoryBytes: 1 }), 0);
});
