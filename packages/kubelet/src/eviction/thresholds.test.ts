import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeletConfigError } from '../errors.ts';
import { DEFAULT_HARD } from '../config.ts';
import { namesLayers, readThresholds, suppliesOf, valueOf, withLayers, withPodsMemory } from './thresholds.ts';
import type { EvictionSettings } from './thresholds.ts';

const NONE: EvictionSettings = { hard: {}, soft: {}, softGraceMs: {}, minimumReclaim: {} };

test('thresholds as they are written', () => {
  const [hard, soft] = readThresholds({
    hard: { 'nodefs.available': '10%', 'pid.available': '0%' },
    soft: { 'memory.available': '1Gi' },
    softGraceMs: { 'memory.available': 90_000 },
    minimumReclaim: { 'memory.available': '100Mi' },
  });
  assert.deepEqual([hard?.signal, hard?.graceMs, valueOf(hard!.amount, 1_000)], ['nodefs.available', 0, 100]);
  assert.deepEqual([soft?.signal, soft?.graceMs, valueOf(soft!.amount, 5)], ['memory.available', 90_000, 2 ** 30]);
  assert.equal(valueOf(soft!.reclaim, 0), 100 * 2 ** 20);
  assert.equal(readThresholds({ ...NONE, hard: DEFAULT_HARD }).length, 5);
});

const wrong: readonly [string, Partial<EvictionSettings>][] = [
  ['an unknown signal', { hard: { constructor: '1' } }],
  ['more than everything', { hard: { 'memory.available': '101%' } }],
  ['no amount', { hard: { 'memory.available': 'much' } }],
  ['less than nothing', { hard: { 'memory.available': '-1' } }],
  ['soft without a grace', { soft: { 'memory.available': '1' } }],
  ['an unknown signal to reclaim', { minimumReclaim: { nothing: '1' } }],
];
for (const [name, settings] of wrong)
  test(`refused: ${name}`, () => assert.throws(() => readThresholds({ ...NONE, ...settings }), KubeletConfigError));

test('what is left of what is measured', () => {
  const usage = {
    startedAt: 0,
    cpuUsageNanos: 0,
    memoryAvailableBytes: 0,
    memoryUsageBytes: 0,
    memoryWorkingSetBytes: 30,
    filesystem: { availableBytes: 5, capacityBytes: 10, usedBytes: 5, inodesFree: 0, inodes: 0, inodesUsed: 0 },
    pids: 3,
    maxPids: 10,
  };
  const images = { availableBytes: 2, capacityBytes: 4, usedBytes: 2, inodesFree: 1, inodes: 3, inodesUsed: 2 };
  const supplies = suppliesOf(usage, {
    memoryBytes: 100,
    disks: { layout: 'split', images, layers: usage.filesystem },
    pods: { workingSetBytes: 60, limitBytes: 50 },
  });
  assert.deepEqual(supplies.get('memory.available'), { available: 70, capacity: 100 });
  assert.deepEqual(supplies.get('pid.available'), { available: 7, capacity: 10 });
  assert.deepEqual(supplies.get('nodefs.available'), { available: 5, capacity: 10 });
  assert.deepEqual(supplies.get('imagefs.available'), { available: 2, capacity: 4 });
  assert.deepEqual(supplies.get('imagefs.inodesFree'), { available: 1, capacity: 3 });
  assert.deepEqual(supplies.get('containerfs.available'), { available: 5, capacity: 10 });
  assert.equal(supplies.has('nodefs.inodesFree'), false);
  assert.deepEqual(supplies.get('allocatableMemory.available'), { available: 0, capacity: 50 });
  const disks = { layout: 'images', images: undefined, layers: undefined } as const;
  const unknown = suppliesOf(usage, { memoryBytes: 100, disks, pods: { workingSetBytes: 60, limitBytes: -1 } });
  assert.deepEqual([...unknown.keys()], ['memory.available', 'pid.available', 'nodefs.available']);
});

test('what must be left of memory must be left of that of all pods too', () => {
  const told = readThresholds({
    hard: { 'memory.available': '100Mi', 'pid.available': '5' },
    soft: { 'memory.available': '1Gi' },
    softGraceMs: { 'memory.available': 5 },
    minimumReclaim: {},
  });
  const [pods, ...others] = withPodsMemory(told).slice(told.length);
  assert.deepEqual(
    [pods?.signal, pods?.text, pods?.graceMs, others.length],
    ['allocatableMemory.available', '100Mi', 0, 0],
  );
});

test('what is said of layers is not heeded: they have what they lie with', () => {
  const told = readThresholds({
    hard: { 'nodefs.available': '10%', 'imagefs.available': '15%', 'containerfs.available': '50%' },
    soft: { 'imagefs.inodesFree': '20%' },
    softGraceMs: { 'imagefs.inodesFree': 5 },
    minimumReclaim: { 'imagefs.available': '1Gi' },
  });
  assert.ok(namesLayers(told));
  const layers = (layout: 'one' | 'images' | 'split'): string[] =>
    withLayers(told, layout)
      .filter((one) => namesLayers([one]))
      .map(({ signal, text, graceMs, reclaim }) => `${signal} ${text} ${graceMs} ${valueOf(reclaim, 0)}`);
  assert.deepEqual(layers('one'), ['containerfs.available 10% 0 0']);
  assert.deepEqual(layers('split'), ['containerfs.available 10% 0 0']);
  assert.deepEqual(layers('images'), [`containerfs.available 15% 0 ${2 ** 30}`, 'containerfs.inodesFree 20% 5 0']);
});
