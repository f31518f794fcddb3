/** Shares of devices are found exactly where plain trying of everything finds them, and no history gives out too much. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { AllocationResult, CapacityRequestPolicy, Device } from '@binnacle/api/resource/v1';
import { allocateDevices } from './allocate.ts';
import { AllocatedDevices } from './allocated-devices.ts';
import { allocationResult } from './allocation-result.ts';
import { makeClaim, makeClass, makeSlice, request } from '../testing/devices.ts';
import { DeviceInventory } from './inventory.ts';
import { requestsOf } from './requests.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 100);

/** A device, in small numbers. */
interface Toy {
  readonly isShared: boolean;
  readonly size: number;
  readonly policy: CapacityRequestPolicy | undefined;
  /** Of the card that all devices share. */
  readonly cost: number;
}

interface Asked {
  readonly amount: number | undefined;
  readonly count: number;
}

interface Case {
  readonly devices: readonly Toy[];
  readonly card: number;
  readonly asked: readonly Asked[];
  readonly isTied: boolean;
}

/** What claims have: of which device, how much; undefined: all of it. */
type Holding = readonly [device: number, amount: number | undefined];

function randomPolicy(random: Random, size: number): CapacityRequestPolicy | undefined {
  const [a, b, c] = [1, 1, 1].map(() => randomBelow(random, size + 1)).toSorted((x, y) => x - y) as [
    number,
    number,
    number,
  ];
  switch (randomBelow(random, 4)) {
    case 0:
      return { default: String(b), validValues: [...new Set([a, b, c])].map(String) };
    case 1:
      return { default: String(b), validRange: { min: String(a), max: String(c) } };
    case 2: {
      const step = 1 + randomBelow(random, 2);
      return { default: String(a), validRange: { min: String(a), step: String(step) } };
    }
    default:
      return undefined;
  }
}

function randomCase(random: Random): Case {
  const devices = Array.from({ length: 1 + randomBelow(random, 3) }, (): Toy => {
    const [isShared, size] = [randomBelow(random, 4) > 0, randomBelow(random, 7)];
    const policy = isShared ? randomPolicy(random, size) : undefined;
    return { isShared, size, policy, cost: randomBelow(random, 3) };
  });
  const asked = Array.from({ length: 1 + randomBelow(random, 3) }, (): Asked => {
    const amount = randomBelow(random, 3) === 0 ? undefined : randomBelow(random, 5);
    return { amount, count: 1 + randomBelow(random, 2) };
  });
  return { devices, asked, card: 1 + randomBelow(random, 6), isTied: randomBelow(random, 4) === 0 };
}

/** By looking through all amounts there are. */
function partOf({ size, policy }: Toy, amount: number | undefined): number | undefined {
  const wanted = amount ?? Number(policy?.default ?? size);
  const { validValues, validRange } = policy ?? {};
  const isValid = (part: number): boolean => {
    if (validValues !== undefined) return validValues.includes(String(part));
    if (validRange === undefined) return part === wanted;
    const [min, max, step] = [Number(validRange.min), Number(validRange.max ?? size), Number(validRange.step ?? 1)];
    return part >= min && part <= max && (part - min) % step === 0;
  };
  for (let part = wanted; part <= size; part++) if (isValid(part)) return part;
  return undefined;
}

/** Whether devices may be given out like this, all together. */
function holds({ devices, card }: Case, all: readonly Holding[]): boolean {
  const used = new Set(all.map(([at]) => at));
  let cost = 0;
  for (const [at, { isShared, size, cost: own }] of devices.entries()) {
    const held = all.filter(([device]) => device === at);
    if (isShared && held.reduce((sum, [, amount]) => sum + (amount ?? size), 0) > size) return false;
    if (!isShared && held.length > 1) return false;
    if (used.has(at)) cost += own;
  }
  return used.size === 0 || cost <= card;
}

function existsByTrying(one: Case, given: readonly Holding[]): boolean {
  const slots = one.asked.flatMap((asked, at) => Array.from({ length: asked.count }, () => ({ at, asked })));
  const choose = (chosen: readonly (Holding & { readonly request?: number })[], taken: readonly string[]): boolean => {
    const slot = slots[chosen.length];
    if (slot === undefined) {
      const tied = !one.isTied || new Set(chosen.map(([at]) => at)).size === chosen.length;
      return tied && holds(one, [...given, ...chosen]);
    }
    return one.devices.some((device, at) => {
      // A device is had once by one request.
      if (taken.includes(`${slot.at} ${at}`)) return false;
      const part = device.isShared ? partOf(device, slot.asked.amount) : (slot.asked.amount ?? 0);
      if (part === undefined || part > device.size) return false;
      const next: Holding = [at, device.isShared ? part : undefined];
      return choose([...chosen, next], [...taken, `${slot.at} ${at}`]);
    });
  };
  return choose([], []);
}

const POOL = { name: 'p', generation: 1, resourceSliceCount: 2 };

function slicesOf({ devices, card }: Case) {
  const made = devices.map(({ isShared, size, policy, cost }, i): Device => ({
    name: `d${i}`,
    attributes: { name: { string: `d${i}` } },
    capacity: { m: { value: String(size), ...(policy === undefined ? {} : { requestPolicy: policy }) } },
    consumesCounters: [{ counterSet: 's', counters: { m: { value: String(cost) } } }],
    ...(isShared ? { allowMultipleAllocations: true } : {}),
  }));
  const sharedCounters = [{ name: 's', counters: { m: { value: String(card) } } }];
  return [
    makeSlice('n', made, { pool: POOL }),
    { ...makeSlice('n', [], { pool: POOL, sharedCounters }), metadata: { name: 'x' } },
  ];
}

function find(one: Case, given: AllocatedDevices, uid = 'c'): AllocationResult | undefined {
  const slices = slicesOf(one);
  const claim = makeClaim(
    uid,
    one.asked.map(({ amount, count }, i) =>
      request(`r${i}`, { count, ...(amount === undefined ? {} : { capacity: { requests: { m: String(amount) } } }) }),
    ),
    one.isTied ? { constraints: [{ distinctAttribute: 'd.example.org/name' }] } : {},
  );
  const chosen = allocateDevices([{ claim, requests: requestsOf(claim, () => makeClass('any')) }], {
    pools: new DeviceInventory(() => slices).poolsOf({ name: 'n', labels: {} }),
    given,
    described: (_, { devices }) => devices,
    isLate: () => false,
  });
  if (chosen === undefined) return undefined;
  return allocationResult(claim, chosen.flat(), { node: 'n', allocationTimestamp: 'now', newShareId: () => 'share' });
}

function holdingsOf(allocation: AllocationResult): readonly Holding[] {
  return (allocation.devices?.results ?? []).map(({ device, shareID, consumedCapacity }) => [
    Number(device.slice(1)),
    shareID === undefined ? undefined : Number(consumedCapacity?.['m'] ?? Number.NaN),
  ]);
}

test(`property: shares are given out as trying everything would, in histories of claims that come and go (${SEEDS} seeds)`, () => {
  let [found, refused, restarts] = [0, 0, 0];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = createSeededRandom(seed);
    const world = randomCase(random);
    let allocated = new AllocatedDevices();
    const written = new Map<string, AllocationResult>();
    const promised = new Map<string, AllocationResult>();
    const told = (uid: string): void => {
      const allocation = written.get(uid);
      allocated.see(uid, allocation === undefined ? undefined : makeClaim(uid, [], { status: { allocation } }));
    };
    for (let step = 0; step < 25; step++) {
      const about = `seed ${seed}, step ${step}`;
      const held = [...written.values(), ...promised.values()].flatMap(holdingsOf);
      assert.ok(holds(world, held), `${about}: ${JSON.stringify({ world, held })}`);
      const uid = [...promised.keys(), ...written.keys()][randomBelow(random, 4)];
      switch (randomBelow(random, 6)) {
        case 0:
        case 1:
        case 2: {
          const { asked, isTied } = randomCase(random);
          const one = { ...world, asked, isTied };
          const allocation = find(one, allocated, `c${step}`);
          assert.equal(
            allocation !== undefined,
            existsByTrying(one, held),
            `${about}: ${JSON.stringify({ one, held })}`,
          );
          if (allocation === undefined) refused++;
          else {
            found++;
            allocated.promise(`c${step}`, allocation);
            promised.set(`c${step}`, allocation);
          }
          break;
        }
        case 3: {
          // What was promised is written, or not after all.
          const allocation = uid === undefined ? undefined : promised.get(uid);
          if (uid === undefined || allocation === undefined) break;
          if (randomBelow(random, 3) > 0) written.set(uid, allocation);
          promised.delete(uid);
          told(uid);
          allocated.withdraw(uid);
          break;
        }
        case 4:
          if (uid === undefined || !written.delete(uid)) break;
          told(uid);
          break;
        default:
          // Another scheduler: what was promised only is forgotten with the old one.
          if (randomBelow(random, 3) > 0) break;
          restarts++;
          promised.clear();
          allocated = new AllocatedDevices();
          for (const one of written.keys()) told(one);
      }
    }
  }
  assert.ok(found > SEEDS && refused > SEEDS && restarts > SEEDS / 2, JSON.stringify({ found, refused, restarts }));
});
