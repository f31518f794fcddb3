import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeletConfigError } from '../errors.ts';
import { numaNodes } from '../testing/giving.ts';
import { MachineNodes } from './machine-nodes.ts';

test('a machine that knows of no memory nodes is one', async () => {
  for (const machine of [{ memoryBytes: 7 }, { memoryBytes: 7, numaNodes: async () => [] }]) {
    const nodes = new MachineNodes(machine);
    await nodes.look(1);
    assert.deepEqual([nodes.ids, nodes.all[0]?.memoryBytes], [[0], 7]);
  }
});

test('more nodes than every set of them can be looked at are refused', async () => {
  const nodes = new MachineNodes({ memoryBytes: 7, numaNodes: async () => numaNodes(9) });
  await assert.rejects(nodes.look(8), KubeletConfigError);
  await nodes.look(9);
  assert.equal(nodes.ids.length, 9);
});
