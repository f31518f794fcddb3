import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { RuntimeUnavailableError } from '@binnacle/runtime';
import type { RuntimeFilesystems } from '@binnacle/runtime';
import { NodeDisks } from './node-disks.ts';
import type { FilesystemUsage } from './figures.ts';

const full = (usedBytes: number): FilesystemUsage => ({
  availableBytes: 100 - usedBytes,
  capacityBytes: 100,
  usedBytes,
  inodesFree: 9,
  inodes: 10,
  inodesUsed: 1,
});

/** Folders of the node with the disk that each lies on, which is as full as its number says. */
const FOLDERS: { readonly [folder: string]: number } = { '/pods': 1, '/same': 1, '/images': 2, '/layers': 3 };
const machine = {
  filesystem: async (folder: string) => {
    const device = FOLDERS[folder];
    return device === undefined ? undefined : { device: String(device), usage: full(device) };
  },
};

function disksOf(filesystems: (() => Promise<RuntimeFilesystems | undefined>) | undefined): NodeDisks {
  const runtime = filesystems === undefined ? {} : { filesystems };
  return new NodeDisks({ machine, runtime, rootDirectory: '/pods', log: silentLogger });
}

const own = full(1);
const rows: readonly [name: string, told: RuntimeFilesystems | undefined, expected: object][] = [
  ['a runtime that does not tell', undefined, { layout: 'one', images: own, layers: own }],
  [
    'images on the disk of pods: what is used is the runtime’s own word',
    { images: { folder: '/same', usedBytes: 7, inodesUsed: 3 } },
    { layout: 'one', images: { ...own, usedBytes: 7, inodesUsed: 3 }, layers: { ...own, usedBytes: 7, inodesUsed: 3 } },
  ],
  ['a disk for images', { images: { folder: '/images' } }, { layout: 'images', images: full(2), layers: full(2) }],
  [
    'another folder of that disk for layers',
    { images: { folder: '/images' }, layers: { folder: '/images', usedBytes: 5 } },
    { layout: 'images', images: full(2), layers: { ...full(2), usedBytes: 5 } },
  ],
  [
    'a disk for images alone',
    { images: { folder: '/images' }, layers: { folder: '/same' } },
    { layout: 'split', images: full(2), layers: full(1) },
  ],
  [
    'three of them',
    { images: { folder: '/images' }, layers: { folder: '/layers' } },
    { layout: 'split', images: full(2), layers: full(3) },
  ],
  [
    'a folder that is none of this machine',
    { images: { folder: '/elsewhere' } },
    { layout: 'one', images: undefined, layers: undefined },
  ],
];
for (const [name, told, expected] of rows)
  test(`disks of a node: ${name}`, async () => {
    assert.deepEqual(await disksOf(async () => told).look({ filesystem: own }), expected);
  });

test('a node without a runtime’s disk, and one that is no machine', async () => {
  assert.deepEqual(await disksOf(undefined).look({ filesystem: own }), { layout: 'one', images: own, layers: own });
  assert.equal((await disksOf(undefined).look({})).images, undefined);
});

test('a runtime that is away has not moved its images; one that was never there tells of none', async () => {
  let isAway = true;
  const disks = disksOf(async () => {
    if (isAway) throw new RuntimeUnavailableError('unix:///x', new RangeError('away'));
    return { images: { folder: '/images' } };
  });
  await assert.rejects(disks.look({ filesystem: own }), RuntimeUnavailableError);
  isAway = false;
  await disks.look({ filesystem: own });
  isAway = true;
  assert.deepEqual(await disks.look({ filesystem: own }), { layout: 'images', images: undefined, layers: undefined });
});
