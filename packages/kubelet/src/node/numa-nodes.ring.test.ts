import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { readNumaNodes } from './numa-nodes.ts';

test('memory by node, with its distances and its huge pages', async () => {
  const root = makeTestFolder().path;
  const files: { readonly [path: string]: string } = {
    online: '0-1\n',
    'node1/meminfo': 'Node 1 MemTotal:       2048 kB\nNode 1 MemFree: 1 kB\n',
    'node1/distance': '21 10\n',
    'node1/hugepages/hugepages-2048kB/nr_hugepages': '3\n',
    'node1/hugepages/hugepages-1048576kB/nr_hugepages': '1\n',
    'node0/meminfo': 'Node 0 MemTotal:       4096 kB\n',
    'node0/distance': '10 21\n',
  };
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    assert.deepEqual(await readNumaNodes(root), [
      { id: 0, memoryBytes: 4096 * 1024, distances: [10, 21], hugePages: [] },
      {
        id: 1,
        memoryBytes: 2048 * 1024,
        distances: [21, 10],
        hugePages: [
          { sizeBytes: 2 << 20, count: 3 },
          { sizeBytes: 1 << 30, count: 1 },
        ],
      },
    ]);
    assert.deepEqual(await readNumaNodes(join(root, 'none')), []);
  } finally {
    await rm(root, { recursive: true });
  }
});
