import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { readCpuTopology } from './cpu-topology.ts';

test('processors of a machine of two nodes, one of them offline', async () => {
  const root = makeTestFolder().path;
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), `${text}\n`);
  };
  try {
    await write('cpu/online', '0,2-3');
    for (const [id, core, socket] of [
      [0, 0, 0],
      [2, 1, 0],
      [3, 0, -1],
    ] as const) {
      await write(`cpu/cpu${id}/topology/core_id`, String(core));
      await write(`cpu/cpu${id}/topology/physical_package_id`, String(socket));
    }
    await write('node/node0/cpulist', '0-1');
    await write('node/node1/cpulist', '2-3');
    await write('node/online', '0-1');
    assert.deepEqual(await readCpuTopology(root), [
      { id: 0, core: 0, socket: 0, node: 0 },
      { id: 2, core: 1, socket: 0, node: 1 },
      { id: 3, core: 0, socket: 0, node: 1 },
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});

test('of this machine', async () => {
  const found = await readCpuTopology();
  assert.ok(found.length >= availableParallelism());
  assert.equal(new Set(found.map(({ id }) => id)).size, found.length);
});
