import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import { RuntimeError } from '@binnacle/runtime';
import type { Container, ImageStatus } from '@binnacle/runtime';
import type { NodeUsage } from '../ports.ts';
import { ImageGarbage } from './garbage.ts';

const image = (id: string, of: Partial<ImageStatus> = {}): ImageStatus => ({
  id,
  tags: [`${id}:1`],
  digests: [`${id}@sha256:1`],
  sizeBytes: 10,
  ...of,
});

function bench(usedPercent: number, of: { maximumAgeMs?: number; volumes?: readonly string[]; stuck?: string } = {}) {
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
  const filesystem = { availableBytes: 100 - usedPercent, capacityBytes: 100 } as NodeUsage['filesystem'];
  const garbage = new ImageGarbage({
    runtime,
    machine: { usage: async () => ({ filesystem }) as NodeUsage },
    references: () => of.volumes ?? [],
    clock,
    log: silentLogger,
    highPercent: 85,
    lowPercent: 80,
    minimumAgeMs: 120_000,
    maximumAgeMs: of.maximumAgeMs ?? 0,
  });
  const left = (): string[] => [...images.keys()];
  return { garbage, clock, left, use: (ids: string[]) => (inUse = ids) };
}

test('while there is room nothing goes', async () => {
  const t = bench(84);
  await t.garbage.collect();
  await t.clock.advance(1e9);
  await t.garbage.collect();
  assert.equal(t.left().length, 5);
});

test('where the disk is nearly full the one that was not used for the longest time goes, as far as it takes', async () => {
  const t = bench(90);
  await t.garbage.collect();
  assert.equal(t.left().length, 5, 'they have just come');
  await t.clock.advance(130_000);
  await t.garbage.collect();
  assert.deepEqual(t.left(), ['used', 'new', 'loaded', 'pause']);
  t.use(['used']);
  await t.clock.advance(130_000);
  await t.garbage.collect();
  assert.deepEqual(t.left(), ['used', 'loaded', 'pause']);
});

test('what nobody used for long goes whatever the disk says', async () => {
  const t = bench(10, { maximumAgeMs: 1_000_000 });
  await t.garbage.collect();
  await t.clock.advance(1_000_001);
  await t.garbage.collect();
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
