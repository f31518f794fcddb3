import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPod } from '../testing/node.ts';
import type { DiskLayout } from '../node-disks.ts';
import {
  type Candidate,
  evictionMessage,
  evictionOrder,
  freesImages,
  freesLayers,
  localParts,
  scarceResource,
} from './ranking.ts';
import { type Signal, readThresholds } from './thresholds.ts';

function candidate(
  name: string,
  used: number,
  of: { request?: string; priority?: number; isStatic?: boolean } = {},
): Candidate {
  const pod = testPod({
    name,
    container: of.request === undefined ? {} : { resources: { requests: { memory: of.request } } },
    spec: { ...(of.priority === undefined ? {} : { priority: of.priority }) },
    metadata: of.isStatic === true ? { annotations: { 'kubernetes.io/config.source': 'file' } } : {},
  });
  const containers = [{ name: 'main', image: 'i', ...pod.spec.containers[0] }];
  return { pod: { ...pod, spec: { ...pod.spec, containers } }, used, containers: new Map([['main', used]]) };
}
const names = (all: readonly Candidate[]): (string | undefined)[] => all.map(({ pod }) => pod.metadata.name);

test('who goes first', () => {
  const order = evictionOrder(
    [
      candidate('within', 50, { request: '100' }),
      candidate('a-bit-over', 110, { request: '100' }),
      candidate('far-over', 900, { request: '100' }),
      candidate('important-over', 999, { priority: 10 }),
      candidate('node-critical', 5_000, { priority: 2_000_001_000 }),
      candidate('static', 5_000, { isStatic: true }),
    ],
    'memory',
  );
  assert.deepEqual(names(order), ['far-over', 'a-bit-over', 'important-over', 'within']);
});

for (const [signal, wanted] of [
  ['memory.available', 'memory'],
  ['nodefs.available', 'ephemeral-storage'],
  ['imagefs.available', 'ephemeral-storage'],
  ['nodefs.inodesFree', 'inodes'],
  ['imagefs.inodesFree', 'inodes'],
  ['pid.available', 'pids'],
] as const)
  test(`what is scarce: ${signal}`, () => assert.equal(scarceResource(signal), wanted));

test('where inodes are short nobody is told of bytes', () => {
  const [threshold] = readThresholds({
    hard: { 'nodefs.inodesFree': '5%' },
    soft: {},
    softGraceMs: {},
    minimumReclaim: {},
  });
  assert.equal(
    evictionMessage(candidate('a', 900), threshold!, { available: 40, capacity: 1_000 }),
    'The node was low on resource: inodes. Threshold quantity: 50, available: 40. ',
  );
});

test('what he is told', () => {
  const [threshold] = readThresholds({
    hard: { 'memory.available': '100Mi' },
    soft: {},
    softGraceMs: {},
    minimumReclaim: {},
  });
  const supply = { available: 50 * 2 ** 20 + 1, capacity: 2 ** 30 };
  assert.equal(
    evictionMessage(candidate('a', 2 ** 20, { request: '10' }), threshold!, supply),
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 51201Ki. Container main was using 1Mi, request is 10, has larger consumption of memory. ',
  );
});

const layouts: readonly [Signal, DiskLayout, parts: string, frees: string][] = [
  ['nodefs.available', 'one', 'logs volumes layers', 'dead images'],
  ['imagefs.available', 'one', 'logs volumes layers', 'dead images'],
  ['nodefs.available', 'images', 'logs volumes', ''],
  ['imagefs.inodesFree', 'images', 'layers', 'dead images'],
  ['containerfs.available', 'images', 'layers', 'dead images'],
  ['nodefs.inodesFree', 'split', 'logs volumes layers', 'dead'],
  ['containerfs.available', 'split', 'logs volumes layers', 'dead'],
  ['imagefs.available', 'split', '', 'images'],
  ['memory.available', 'one', 'logs volumes layers', ''],
];
for (const [signal, layout, parts, frees] of layouts)
  test(`${signal} where the layout is ${layout}: what counts of a pod, and what goes before one`, () => {
    const goes = [freesLayers(signal, layout) ? ['dead'] : [], freesImages(signal, layout) ? ['images'] : []].flat();
    assert.deepEqual([localParts(signal, layout).join(' '), goes.join(' ')], [parts, frees]);
  });
