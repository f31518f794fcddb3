import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { proposeByUsage, proposeByUtilization, proposeByValue, proposePerPod } from './proposals.ts';
import type { PodUsage } from './proposals.ts';

const tolerance = { up: 0.1, down: 0.1 };

interface Row {
  readonly name: string;
  readonly replicas: number;
  /** Milli-units of the pods that are ready. */
  readonly used: readonly number[];
  readonly unready?: number;
  readonly missing?: number;
  readonly target: number;
  readonly expected: number | string;
}

function usageOf({ replicas, used, unready = 0, missing = 0 }: Row): PodUsage {
  const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const counted = new Map(used.map((milli, i) => [`ready${i}`, { milli, atMs: 0, windowMs: 0 }]));
  const groups = {
    ready: used.length,
    unready: names('unready', unready),
    missing: names('missing', missing),
    counted,
  };
  return { replicas, groups, tolerance };
}

const USAGE: readonly Row[] = [
  { name: 'twice the target', replicas: 3, used: [200, 200, 200], target: 100, expected: 6 },
  { name: 'half the target', replicas: 4, used: [50, 50, 50, 50], target: 100, expected: 2 },
  { name: 'within the tolerance', replicas: 3, used: [109, 109, 109], target: 100, expected: 3 },
  { name: 'up, unready pods count as idle', replicas: 3, used: [400, 400], unready: 1, target: 100, expected: 8 },
  { name: 'up, idle unready pods take the need away', replicas: 3, used: [120], unready: 2, target: 100, expected: 3 },
  { name: 'down, unready pods count for nothing', replicas: 4, used: [10, 10], unready: 2, target: 100, expected: 1 },
  {
    name: 'down, missing pods count as at the target',
    replicas: 4,
    used: [10, 10, 10],
    missing: 1,
    target: 100,
    expected: 2,
  },
  { name: 'up, missing pods count as idle', replicas: 4, used: [400, 400, 400], missing: 1, target: 100, expected: 12 },
  {
    name: 'nobody measured',
    replicas: 1,
    used: [],
    missing: 1,
    target: 100,
    expected: 'did not receive metrics for targeted pods (pods might be unready)',
  },
];

for (const row of USAGE) {
  test(`by usage: ${row.name}`, () => {
    const found = proposeByUsage(usageOf(row), row.target);
    assert.equal('refused' in found ? found.refused : found.replicas, row.expected);
  });
}

const SHARE: readonly Row[] = [
  { name: '60 % of what 30 % was wanted', replicas: 3, used: [600, 600, 600], target: 30, expected: 6 },
  {
    name: 'down, missing pods count as all they asked for',
    replicas: 4,
    used: [100, 100, 100],
    missing: 1,
    target: 50,
    expected: 3,
  },
  {
    name: 'down, above 100 % missing pods count as at the target',
    replicas: 4,
    used: [100, 100, 100],
    missing: 1,
    target: 200,
    expected: 2,
  },
  { name: 'an answer in the other direction is none', replicas: 5, used: [100], missing: 4, target: 50, expected: 5 },
];

for (const row of SHARE) {
  test(`by utilization: ${row.name}`, () => {
    const usage = usageOf(row);
    const names = [...usage.groups.counted.keys(), ...usage.groups.missing, ...usage.groups.unready];
    const found = proposeByUtilization(usage, new Map(names.map((name) => [name, 1000])), row.target);
    assert.equal('refused' in found ? found.refused : found.replicas, row.expected);
  });
}

test('requests of nothing have no utilization', () => {
  const usage = usageOf({ name: '', replicas: 1, used: [5], target: 1, expected: 1 });
  assert.deepEqual(proposeByUtilization(usage, new Map([['ready0', 0]]), 50), {
    refused: 'no metrics returned matched known pods',
  });
});

for (const [name, replicas, readyPods, milli, target, expected] of [
  ['twice the target', 3, 3, 200, 100, 6],
  ['unready pods do not multiply', 3, 2, 200, 100, 4],
  ['within the tolerance', 3, 3, 105, 100, 3],
  ['from nothing the ratio alone', 0, 0, 250, 100, 3],
  ['more than can be', 3, 3, Number.MAX_SAFE_INTEGER, 1, 2 ** 31 - 1],
] as const) {
  test(`by one value: ${name}`, () => {
    assert.equal(proposeByValue({ replicas, readyPods, tolerance }, milli, target).replicas, expected);
  });
}

for (const [name, replicas, milli, target, expected] of [
  ['shared among more', 2, 1000, 100, { replicas: 10, milli: 500 }],
  ['within the tolerance', 10, 1050, 100, { replicas: 10, milli: 105 }],
  ['among none', 0, 300, 100, { replicas: 3, milli: 300 }],
] as const) {
  test(`by one value per pod: ${name}`, () => {
    assert.deepEqual(proposePerPod({ replicas, tolerance }, milli, target), expected);
  });
}
