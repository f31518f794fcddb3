import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '@binnacle/base';
import { pickBest } from './pick-best.ts';

const ROWS: { name: string; totals: number[]; pods: number[]; slots?: number[]; winners: number[] }[] = [
  { name: 'the highest total', totals: [1, 3, 2], pods: [0, 9, 0], winners: [1] },
  { name: 'of equals the one with fewer pods', totals: [3, 3, 1], pods: [2, 1, 0], winners: [1] },
  { name: 'of those any', totals: [3, 3, 3], pods: [1, 0, 0], winners: [1, 2] },
  { name: 'pods are found by slot', totals: [3, 3], pods: [0, 5, 7], slots: [2, 1], winners: [1] },
  { name: 'who is no candidate is not chosen', totals: [-Infinity, 0], pods: [0, 3], winners: [1] },
];

for (const row of ROWS) {
  test(`picks ${row.name}`, () => {
    const random = createSeededRandom(5);
    const ballot = {
      totals: Float64Array.from(row.totals),
      count: row.totals.length,
      pods: Float64Array.from(row.pods),
      ...(row.slots === undefined ? {} : { slots: Int32Array.from(row.slots) }),
    };
    const won = new Set<number>();
    for (let i = 0; i < 50; i++) won.add(pickBest(ballot, random));
    assert.deepEqual([...won].sort(), row.winners);
  });
}
