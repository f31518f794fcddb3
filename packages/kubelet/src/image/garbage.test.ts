import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import { RuntimeError } from '@binnacle/runtime';
import type { Container, ImageStatus } from '@binnacle/runtime';
import type { FilesystemUsage, NodeUsage } from '../figures.ts';
import { ImageGarbage, binarySize } from './garbage.ts';

const image = (id: string, of: Partial<ImageStatus> = {}): ImageStatus => ({
  id,
  tags: [`${id}:1`],
  digests: [`${id}@sha256:1`],
  sizeBytes: 10,
  ...of,
});

interface Wish {
  readonly maximumAgeMs?: number;
  readonly volumes?: readonly string[];
  readonly stuck?: string;
  readonly capacityBytes?: number;
}

function bench(usedPercent: number, of: Wish = {}) {
  const warned: [reason: string, message: string][] = [];
  const clock = new VirtualClock();
  const images = new Map<string, ImageStatus>();
  for (const one of [
    image('used'),
    image('old'),
    image('new'),
    image('loaded', { digests: [] }),
    image('pause', { isPinned: true }),
  ])
    images.set(one.id, one);
  let inUse = ['used', 'new'];
  const runtime = {
    listImages: async () => [...images.values()],
    listContainers: async () => inUse.map((id) => ({ image: `${id}:1`, imageRef: '' }) as Container),
    removeImage: async (id: string) => {
      if (of.stuck === id) throw new RuntimeError(`image ${id} is held by a snapshot`);
      images.delete(id);
    },
  };
  const { capacityBytes = 100 } = of;
  const told: [ids: readonly string[], at: number][] = [];
  const filesystem = { availableBytes: 100 - usedPercent, capacityBytes } as FilesystemUsage;
  const garbage = new ImageGarbage({
    runtime,
    machine: { usage: async () => ({}) as NodeUsage },
    disks: { look: async () => ({ layout: 'images', images: filesystem, layers: filesystem }) },
    references: () => of.volumes ?? [],
    clock,
    log: silentLogger,
    warn: (...words) => warned.push(words),
    known: async (...all) => void told.push(all),
    highPercent: 85,
    lowPercent: 80,
    minimumAgeMs: 120_000,
    maximumAgeMs: of.maximumAgeMs ?? 0,
  });
  const left = (): string[] => [...images.keys()];
  return { garbage, clock, left, warned, told, use: (ids: string[]) => (inUse = ids) };
}

test('while there is room nothing goes', async () => {
  const t = bench(84);
  await t.garbage.look();
  await t.clock.advance(1e9);
  await t.garbage.look();
  assert.equal(t.left().length, 5);
});

test('where the disk is nearly full the one that was not used for the longest time goes, as far as it takes', async () => {
  const t = bench(90);
  await t.garbage.look();
  assert.equal(t.left().length, 5, 'they have just come');
  await t.clock.advance(130_000);
  await t.garbage.look();
  assert.deepEqual(t.left(), ['used', 'new', 'loaded', 'pause']);
  t.use(['used']);
  await t.clock.advance(130_000);
  await t.garbage.look();
  assert.deepEqual(t.left(), ['used', 'loaded', 'pause']);
});

test('what nobody used for long goes whatever the disk says', async () => {
  const t = bench(10, { maximumAgeMs: 1_000_000 });
  await t.garbage.look();
  await t.clock.advance(1_000_001);
  await t.garbage.look();
  assert.deepEqual(t.left(), ['used', 'new', 'loaded', 'pause']);
});

test('an image that is a volume is used', async () => {
  const t = bench(99, { volumes: ['old:1'] });
  await t.garbage.freeAll();
  await t.clock.advance(130_000);
  assert.equal(await t.garbage.freeAll(), 0);
});

test('an image that cannot be removed keeps no other one', async () => {
  const t = bench(99, { stuck: 'old' });
  await t.garbage.freeAll();
  await t.clock.advance(130_000);
  t.use(['used']);
  assert.equal(await t.garbage.freeAll(), 10);
  assert.deepEqual(t.left(), ['used', 'old', 'loaded', 'pause']);
});

test('an image that has just come stays also in need: its container is being made', async () => {
  const t = bench(99);
  assert.equal(await t.garbage.freeAll(), 0);
});

test('in need all that is unused goes, but what was loaded by hand and what is pinned', async () => {
  const t = bench(99);
  await t.garbage.freeAll();
  await t.clock.advance(130_000);
  assert.equal(await t.garbage.freeAll(), 10);
  assert.deepEqual(t.left(), ['used', 'new', 'loaded', 'pause']);
});

test('people are warned where too little could be freed, and of what fails again and again', async () => {
  const t = bench(90);
  const words =
    "Insufficient free disk space on the node's image filesystem (90% of 100 B used). Failed to free sufficient space by deleting unused images (freed 0 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.";
  await t.garbage.look();
  assert.deepEqual(t.warned.splice(0), [['FreeDiskSpaceFailed', words]]);
  await t.garbage.look();
  assert.deepEqual(t.warned.splice(0), [
    ['FreeDiskSpaceFailed', words],
    ['ImageGCFailed', words],
  ]);
  await t.clock.advance(130_000);
  await t.garbage.look();
  assert.equal(t.warned.length, 0, 'one goes, which is enough');
  t.use(['used', 'new']);
  await t.garbage.look();
  assert.deepEqual(
    t.warned.map(([reason]) => reason),
    ['FreeDiskSpaceFailed'],
    'what went well in between begins anew',
  );
});

test('a disk of no size is told of', async () => {
  const t = bench(100, { capacityBytes: 0 });
  await t.garbage.look();
  assert.deepEqual(t.warned, [['InvalidDiskCapacity', 'invalid capacity 0 on image filesystem']]);
});

for (const [bytes, text] of [
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1536 * 1024, '1.5 MiB'],
  [20 * 2 ** 30, '20.0 GiB'],
  [3 * 2 ** 50, '3072.0 TiB'],
] as const) {
  test(`${bytes} bytes are ${text}`, () => assert.equal(binarySize(bytes), text));
}

test('whoever keeps records of images is told which there are, and since when that is so', async () => {
  const b = bench(10);
  const all = b.left();
  const at = b.clock.now();
  await b.garbage.look();
  assert.deepEqual(b.told, [[all, at]]);
});
