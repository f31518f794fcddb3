import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numaNodes } from '../testing/giving.ts';
import type { Hint } from '../topology/hint.ts';
import {
  type MemoryTable,
  bestHint,
  emptyTable,
  idsOf,
  keepsGroups,
  memoryHints,
  satisfies,
  setOf,
  take,
} from './memory-table.ts';

const two = (): MemoryTable => emptyTable(numaNodes(2, 100), new Map([[0, new Map([['memory', 20]])]]));
const wish = (bytes: number, resource = 'memory'): ReadonlyMap<string, number> => new Map([[resource, bytes]]);
const none = (): number => 0;
const shown = (hints: readonly Hint[]): string[] =>
  hints.map(({ nodes = 0, isPreferred }) => `${nodes.toString(2)}${isPreferred ? '!' : ''}`).toSorted();

test('pages are taken out of the memory, what is reserved out of what is given', () => {
  const pages = [{ sizeBytes: 1 << 20, count: 3 }];
  const [node] = emptyTable(
    [{ id: 4, memoryBytes: 8 << 20, distances: [], hugePages: pages }],
    new Map([[4, new Map([['memory', 1 << 20]])]]),
  );
  assert.deepEqual(node?.amounts.get('memory'), {
    total: 5 << 20,
    systemReserved: 1 << 20,
    allocatable: 4 << 20,
    reserved: 0,
    free: 4 << 20,
  });
  assert.equal(node?.amounts.get('hugepages-1Mi')?.free, 3 << 20);
});

type Row = readonly [string, readonly { nodes: number[]; bytes: number }[], number, string[]];
const rows: readonly Row[] = [
  ['on an empty machine', [], 50, ['1!', '10!', '11']],
  ['too much for the node that keeps some', [], 90, ['10!', '11']],
  ['too much for one', [], 150, ['11!']],
  ['too much for all', [], 190, []],
  ['a node that gives alone gives nothing together', [{ nodes: [0], bytes: 10 }], 50, ['1!', '10!']],
  ['nodes that give together give nothing alone', [{ nodes: [0, 1], bytes: 120 }], 50, ['11']],
  ['a full node', [{ nodes: [1], bytes: 95 }], 50, ['1!']],
];

for (const [name, taken, bytes, wanted] of rows) {
  test(`where memory could come from: ${name}`, () => {
    const table = two();
    for (const block of taken) take(table, { ...block, resource: 'memory' });
    assert.deepEqual(shown(memoryHints(table, wish(bytes), none)), wanted);
  });
}

test('what the pod has already counts once more', () => {
  const table = two();
  take(table, { nodes: [1], resource: 'memory', bytes: 80 });
  assert.deepEqual(shown(memoryHints(table, wish(60), none)), ['1!']);
  assert.deepEqual(shown(memoryHints(table, wish(60), ([id]) => (id === 1 ? 80 : 0))), ['1!', '10!']);
});

test('a machine without such pages gives none', () => {
  assert.deepEqual(memoryHints(two(), wish(1, 'hugepages-2Mi'), none), []);
});

test('of several nodes the first gives what it has', () => {
  const table = two();
  take(table, { nodes: [0, 1], resource: 'memory', bytes: 120 });
  assert.deepEqual(
    table.map(({ amounts, cells, assignments }) => [amounts.get('memory')?.free, cells, assignments]),
    [
      [0, [0, 1], 1],
      [60, [0, 1], 1],
    ],
  );
  assert.deepEqual([satisfies(table, 0b11, wish(60)), satisfies(table, 0b11, wish(61))], [true, false]);
  assert.deepEqual([keepsGroups(table, 0b11), keepsGroups(table, 0b01)], [true, false]);
});

test('sets and numbers of nodes', () => {
  const table = emptyTable(
    [0, 3, 8].map((id) => ({ id, memoryBytes: 1, distances: [], hugePages: [] })),
    new Map(),
  );
  assert.deepEqual(idsOf(table, 0b110), [3, 8]);
  assert.equal(setOf(table, [8, 0, 5]), 0b101);
});

test('the best hint: preferred, then of fewer nodes, then of earlier ones', () => {
  const hint = (nodes: number | undefined, isPreferred: boolean): Hint => ({ nodes, isPreferred });
  assert.equal(bestHint([hint(0b1, false), hint(0b11, true), hint(0b110, true)])?.nodes, 0b11);
  assert.equal(bestHint([hint(0b11, false), hint(0b100, false), hint(undefined, true)])?.nodes, 0b100);
  assert.equal(bestHint([]), undefined);
});
