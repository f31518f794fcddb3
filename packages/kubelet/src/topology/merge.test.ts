import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numaNodes } from '../testing/giving.ts';
import { type Hint, type Hints, NO_HINTS } from './hint.ts';
import { type Merged, type TopologyPolicy, mergeHints } from './merge.ts';

const hint = (nodes: number | undefined, isPreferred = true): Hint => ({ nodes, isPreferred });
const of = (...lists: (readonly Hint[] | undefined)[]): Hints => new Map(lists.map((list, i) => [`r${i}`, list]));

type Row = readonly [string, TopologyPolicy, readonly Hints[], Merged];
const rows: readonly Row[] = [
  ['nobody minds', 'restricted', [NO_HINTS, of(undefined)], { nodes: 0b11, isPreferred: true, admits: true }],
  ['nobody minds', 'single-numa-node', [NO_HINTS], { nodes: undefined, isPreferred: true, admits: true }],
  ['one cannot be met', 'restricted', [of([])], { nodes: 0b11, isPreferred: false, admits: false }],
  ['one cannot be met', 'best-effort', [of([])], { nodes: 0b11, isPreferred: false, admits: true }],
  ['one cannot be met', 'single-numa-node', [of([])], { nodes: undefined, isPreferred: false, admits: false }],
  [
    'both on one node',
    'single-numa-node',
    [of([hint(1), hint(2), hint(3, false)]), of([hint(2), hint(3, false)])],
    { nodes: 2, isPreferred: true, admits: true },
  ],
  [
    'each on another node',
    'restricted',
    [of([hint(1), hint(3, false)]), of([hint(2), hint(3, false)])],
    { nodes: 1, isPreferred: false, admits: false },
  ],
  [
    'each on another node',
    'best-effort',
    [of([hint(1), hint(3, false)]), of([hint(2), hint(3, false)])],
    { nodes: 1, isPreferred: false, admits: true },
  ],
  [
    'each on another node',
    'single-numa-node',
    [of([hint(1), hint(3, false)]), of([hint(2), hint(3, false)])],
    { nodes: undefined, isPreferred: false, admits: false },
  ],
  [
    'two nodes are the least that it needs',
    'restricted',
    [of([hint(3)])],
    { nodes: 3, isPreferred: true, admits: true },
  ],
  [
    'two nodes are the least that it needs',
    'single-numa-node',
    [of([hint(3)])],
    { nodes: undefined, isPreferred: false, admits: false },
  ],
  ['the first of equals', 'best-effort', [of([hint(2), hint(1)])], { nodes: 1, isPreferred: true, admits: true }],
  [
    'one resource does not mind',
    'restricted',
    [of([hint(1), hint(2)]), of(undefined), of([hint(2)])],
    { nodes: 2, isPreferred: true, admits: true },
  ],
];

for (const [name, policy, told, wanted] of rows) {
  test(`${policy}: ${name}`, () => assert.deepEqual(mergeHints(told, { policy, nodeCount: 2 }), wanted));
}

test('not preferred: as many nodes as the most demanding needs, else fewer, before more', () => {
  const bestOf = (least: number, ...sets: number[]): number | undefined => {
    const told = [of(sets.map((set) => hint(set, false))), of([hint(least), hint(0b1111, false)])];
    return mergeHints(told, { policy: 'best-effort', nodeCount: 4 }).nodes;
  };
  assert.equal(bestOf(0b0011, 0b0001, 0b0011, 0b1111), 0b0011);
  assert.equal(bestOf(0b0111, 0b0001, 0b0011), 0b0011);
  assert.equal(bestOf(0b0001, 0b1100, 0b1110), 0b1100);
});

test('of equally many nodes the closest, where that is wanted', () => {
  const told = [of([hint(0b1001), hint(0b1100)])];
  const distances = numaNodes(4).map((node) => node.distances);
  assert.equal(mergeHints(told, { policy: 'best-effort', nodeCount: 4 }).nodes, 0b1001);
  assert.equal(mergeHints(told, { policy: 'best-effort', nodeCount: 4, distances }).nodes, 0b1100);
});

test('many hints of many resources are merged in a time that grows with their number alone', () => {
  const all = Array.from({ length: 255 }, (_, i) => hint(i + 1, i % 7 === 0));
  const told = Array.from({ length: 12 }, () => of(all));
  assert.equal(mergeHints(told, { policy: 'restricted', nodeCount: 8 }).admits, true);
});
