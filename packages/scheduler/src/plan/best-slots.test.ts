import assert from 'node:assert/strict';
import test from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { BestSlots } from './best-slots.ts';
import { pickBest } from './pick-best.ts';

const NONE = -Infinity;

interface Row {
  readonly name: string;
  readonly totals: readonly number[];
  readonly pods: readonly number[];
  readonly slot: number;
}

const ROWS: readonly Row[] = [
  { name: 'nobody is there', totals: [], pods: [], slot: 0 },
  { name: 'nobody is a candidate', totals: [NONE, NONE], pods: [0, 0], slot: 0 },
  { name: 'the highest', totals: [1, 3, 2], pods: [0, 9, 0], slot: 1 },
  { name: 'of equals the emptier one', totals: [3, 3, 1], pods: [2, 1, 0], slot: 1 },
  { name: 'below nothing too', totals: [NONE, -4, -5], pods: [0, 0, 0], slot: 1 },
  { name: 'in a later chunk', totals: [...Array<number>(200).fill(5), 6], pods: Array<number>(201).fill(0), slot: 200 },
];

for (const { name, totals, pods, slot } of ROWS) {
  test(name, () => {
    const slots = { totals: Float64Array.from(totals), pods: Float64Array.from(pods), end: totals.length };
    assert.equal(new BestSlots(totals.length).pick(slots, createSeededRandom(1)), slot);
  });
}

test('through any changes it chooses what one pass over all of them chooses, by the same chance', () => {
  const dice = createSeededRandom(36);
  const size = 300;
  const totals = new Float64Array(size).fill(NONE);
  const pods = new Float64Array(size);
  const best = new BestSlots(size);
  let end = 1;
  for (let step = 0; step < 4_000; step++) {
    end = Math.min(size, end + randomBelow(dice, 2));
    const slot = randomBelow(dice, end);
    totals[slot] = randomBelow(dice, 5) === 0 ? NONE : randomBelow(dice, 3);
    pods[slot] = randomBelow(dice, 3);
    best.touch(slot);
    const [one, other] = [createSeededRandom(step), createSeededRandom(step)];
    assert.equal(best.pick({ totals, pods, end }, one), pickBest({ totals, pods, count: end }, other), `step ${step}`);
    assert.equal(randomBelow(one, 1_000), randomBelow(other, 1_000), `step ${step}: chance`);
  }
});
