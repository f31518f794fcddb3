/** Devices are found for claims exactly where plain trying of everything finds them, and what is found holds. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import { givenDevices, makeClaim, makeClass, makeSlice, request } from '../testing/devices.ts';
import { allocateDevices } from './allocate.ts';
import { DeviceInventory } from './inventory.ts';
import { requestsOf } from './requests.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 100);

interface Case {
  readonly numas: readonly number[];
  readonly taken: ReadonlySet<number>;
  readonly costs: readonly number[];
  readonly counter: number;
  readonly counts: readonly number[];
  readonly isTied: boolean;
}

function randomCase(random: Random): Case {
  const size = 1 + randomBelow(random, 6);
  const each = <T>(make: (i: number) => T): T[] => Array.from({ length: size }, (_, i) => make(i));
  return {
    numas: each(() => randomBelow(random, 3)),
    taken: new Set(each((i) => i).filter(() => randomBelow(random, 4) === 0)),
    costs: each(() => randomBelow(random, 3)),
    counter: 1 + randomBelow(random, 6),
    counts: Array.from({ length: 1 + randomBelow(random, 3) }, () => 1 + randomBelow(random, 2)),
    isTied: randomBelow(random, 2) === 0,
  };
}

/** Whether these devices, by number, are a right answer. */
function holds({ numas, taken, costs, counter, isTied }: Case, devices: readonly number[]): boolean {
  const all = [...devices, ...taken];
  if (new Set(all).size < all.length) return false;
  // Each names the counter: where those that are given out took too much of it, there is not even nothing left.
  if (devices.length > 0 && all.reduce((sum, i) => sum + (costs[i] ?? 0), 0) > counter) return false;
  return !isTied || new Set(devices.map((i) => numas[i])).size <= 1;
}

function existsByTrying(one: Case): boolean {
  const wanted = one.counts.reduce((sum, count) => sum + count, 0);
  const choose = (from: number, chosen: readonly number[]): boolean => {
    if (chosen.length === wanted) return holds(one, chosen);
    for (let i = from; i < one.numas.length; i++) if (choose(i + 1, [...chosen, i])) return true;
    return false;
  };
  return choose(0, []);
}

function find(one: Case): readonly number[] | undefined {
  const pool = { name: 'p', generation: 1, resourceSliceCount: 2 };
  const slices = [
    makeSlice(
      'n',
      one.numas.map((numa, i) => ({
        name: `d${i}`,
        attributes: { numa: { int: numa } },
        consumesCounters: [{ counterSet: 's', counters: { m: { value: String(one.costs[i]) } } }],
      })),
      { pool },
    ),
    {
      ...makeSlice('n', [], { pool, sharedCounters: [{ name: 's', counters: { m: { value: String(one.counter) } } }] }),
      metadata: { name: 'x' },
    },
  ];
  const constraints = one.isTied ? { constraints: [{ matchAttribute: 'd.example.org/numa' }] } : {};
  const claim = makeClaim(
    'c',
    one.counts.map((count, i) => request(`r${i}`, { count })),
    constraints,
  );
  const chosen = allocateDevices([{ claim, requests: requestsOf(claim, () => makeClass('any')) }], {
    pools: new DeviceInventory(() => slices).poolsOf({ name: 'n', labels: {} }),
    given: givenDevices(...[...one.taken].map((i) => [`d.example.org/p/d${i}`] as const)),
    described: (_, { devices }) => devices,
    isLate: () => false,
  });
  return chosen?.flat().map(({ device }) => Number(device.device.name.slice(1)));
}

test(`devices are found wherever trying everything finds them (${SEEDS} seeds)`, () => {
  let found = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const one = randomCase(createSeededRandom(seed));
    const devices = find(one);
    assert.equal(
      devices !== undefined,
      existsByTrying(one),
      `seed ${seed}: ${JSON.stringify({ ...one, taken: [...one.taken] })}`,
    );
    if (devices === undefined) continue;
    found++;
    assert.ok(holds(one, devices), `seed ${seed}: ${devices.join()}`);
  }
  assert.ok(found > SEEDS / 10 && found < SEEDS, 'some of both');
});
