import assert from 'node:assert/strict';
import test from 'node:test';
import { IdleCollection } from './idle-collection.ts';

const MB = 1 << 20;
const PERIOD_MS = 1000;

interface Moment {
  readonly busy: number;
  /** Megabytes before the tick. */
  readonly used: number;
  readonly total: number;
}

/** Runs the moments; answers with the numbers of the ticks at which it collected, down to `after` megabytes. */
function collections(moments: readonly Moment[], after = 20): number[] {
  const at: number[] = [];
  let now: Moment = { busy: 0, used: 0, total: 0 };
  let collected = false;
  const world = {
    utilization: () => now.busy,
    heap: () => (collected ? { used: 15 * MB, total: after * MB } : { used: now.used * MB, total: now.total * MB }),
    collect: () => {
      collected = true;
    },
  };
  const collection = new IdleCollection(world, PERIOD_MS);
  moments.forEach((moment, i) => {
    now = moment;
    collected = false;
    collection.tick();
    if (collected) at.push(i);
  });
  return at;
}

const start = { busy: 0.9, used: 17, total: 33 };
const rest = { busy: 0.001, used: 17, total: 33 };
const settled = { busy: 0.001, used: 15, total: 20 };
const burst = { busy: 0.8, used: 140, total: 230 };
const afterBurst = { busy: 0.01, used: 140, total: 230 };

const ROWS: readonly [what: string, moments: readonly Moment[], at: readonly number[]][] = [
  ['once after the start, when it has come to rest', [start, rest, rest, rest, rest], [1]],
  ['not while it works', [start, start, start, start], []],
  ['not again while nothing was left behind', [start, rest, ...Array.from({ length: 20 }, () => settled)], [1]],
  ['the longer the pause would be, the longer it waits', [burst, afterBurst, afterBurst, settled, settled], [2]],
  ['a short rest between two bursts is none', [burst, afterBurst, burst, afterBurst, burst, afterBurst], []],
  ['a burst that V8 cleared itself counts: its pages are kept', [rest, settled, burst, settled, settled], [0, 3]],
];

for (const [what, moments, at] of ROWS) test(what, () => assert.deepEqual(collections(moments), at));

test('a large heap is collected when a large part of it may be given back', () => {
  const large = { busy: 0.01, used: 80, total: 800 };
  const grown = { busy: 0.01, used: 80, total: 990 };
  const muchGrown = { busy: 0.01, used: 80, total: 1010 };
  assert.deepEqual(collections([large, grown, grown, grown, muchGrown], 800), [0, 4]);
});

test('a small heap may double before all of it is collected again, a large one grows as the engine likes', () => {
  for (const [used, wanted] of [
    [30, 100],
    [127, 100],
    [128, 0],
    [2000, 0],
  ] as const) {
    const told: number[] = [];
    const heap = (): { used: number; total: number } => ({ used: used * MB, total: used * 2 * MB });
    const world = { utilization: () => 0, heap, collect: (growth: number) => void told.push(growth) };
    const collection = new IdleCollection(world, 60_000);
    collection.tick();
    assert.deepEqual(told, [wanted], `${used} MB`);
  }
});
