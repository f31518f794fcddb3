import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodDisruptionBudget } from '@binnacle/api/policy/v1';
import { demandOf } from '../plan/demand.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { Failure, Refusal } from '../plan/framework.ts';
import type { Simulation } from '../plan/snapshot.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import { NO_VICTIMS, readBudgets, selectVictims, splitByBudget } from './preemption-victims.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');

function pod(
  name: string,
  spec: { labels?: Record<string, string>; priority?: number; namespace?: string; started?: string } = {},
): PodDemand {
  const { labels = { app: 'web' }, priority = 0, namespace = 'default', started } = spec;
  const made = makePod(name, { labels, priority, namespace });
  return demandOf(started === undefined ? made : { ...made, status: { startTime: started } });
}
function budget(allowed: number, more: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget {
  return {
    metadata: { name: 'b', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed: allowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    ...more,
  };
}
const absent: PodDisruptionBudget['spec'] = {
  selector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
};

const SPLIT: readonly [
  name: string,
  pods: readonly PodDemand[],
  budgets: readonly PodDisruptionBudget[],
  violating: readonly string[],
][] = [
  ['no budgets', [pod('a')], [], []],
  ['as many as are allowed', [pod('a'), pod('b')], [budget(2)], []],
  ['one more than allowed: the less important one', [pod('a'), pod('b')], [budget(1)], ['b']],
  ['none are allowed', [pod('a'), pod('b')], [budget(0)], ['a', 'b']],
  ['another namespace', [pod('a', { namespace: 'other' })], [budget(0)], []],
  ['other labels', [pod('a', { labels: { app: 'db' } })], [budget(0)], []],
  ['a pod without labels is in no budget', [demandOf(makePod('a'))], [budget(0, { spec: absent })], []],
  ['nor is one with none left', [pod('a', { labels: {} })], [budget(0, { spec: absent })], []],
  ['a selector of what is missing', [pod('a')], [budget(0, { spec: absent })], ['a']],
  ['a budget without a selector', [pod('a')], [budget(0, { spec: {} })], []],
  ['a budget with an empty one', [pod('a')], [budget(0, { spec: { selector: {} } })], []],
  [
    'one that cannot be read, stored as it was, beside another',
    [pod('a')],
    [
      budget(0, {
        spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Near' as 'In', values: ['web'] }] } },
      }),
      budget(0),
    ],
    ['a'],
  ],
  [
    'a disruption that is counted already',
    [pod('a'), pod('b')],
    [{ ...budget(0), status: { ...budget(0).status!, disruptedPods: { a: '2026-01-01T00:00:00Z' } } }],
    ['b'],
  ],
  ['the strictest of two', [pod('a')], [budget(5), budget(0)], ['a']],
  [
    'a budget of which nothing is known yet',
    [pod('a')],
    [{ metadata: { name: 'b', namespace: 'default' }, spec: budget(0).spec! }],
    ['a'],
  ],
];
for (const [name, pods, budgets, violating] of SPLIT)
  test(`budgets: ${name}`, () => {
    const split = splitByBudget(pods, readBudgets(budgets));
    assert.deepEqual(
      split.violating.map((one) => one.pod.metadata.name),
      violating,
    );
    assert.equal(split.violating.length + split.others.length, pods.length);
  });

const FULL: Refusal = { plugin: 'NodeResourcesFit', reasons: ['Insufficient cpu'], unresolvable: false };

/** A node with room for so many pods beside the one that wants in. */
function node(room: number, pods: readonly PodDemand[]): Failure {
  const there = new Set(pods.map((one) => one.uid));
  const simulation: Simulation = {
    add: () => assert.fail('nothing is added'),
    remove: (uid) => there.delete(uid),
    putBack: (uid) => there.add(uid).has(uid),
  };
  const test = (): Refusal | undefined => (there.size > room ? FULL : undefined);
  return { refusalAt: () => FULL, test, isOfNodeAlone: () => true, simulate: (trial) => trial(simulation) };
}

const OLD = '2026-01-01T00:00:00Z';
const YOUNG = '2026-01-01T12:00:00Z';
const VICTIMS: readonly [
  name: string,
  room: number,
  pods: readonly PodDemand[],
  budgets: readonly PodDisruptionBudget[],
  wanted: readonly string[] | Refusal,
  violations: number,
][] = [
  ['nobody is less important', 0, [pod('a', { priority: 10 })], [], NO_VICTIMS, 0],
  ['one has to go: the least important', 1, [pod('a', { priority: 2 }), pod('b', { priority: 1 })], [], ['b'], 0],
  [
    'of equals the one that runs for less long',
    1,
    [pod('a', { started: YOUNG }), pod('b', { started: OLD })],
    [],
    ['a'],
    0,
  ],
  ['one that has not started goes before them', 1, [pod('a'), pod('b', { started: YOUNG })], [], ['a'], 0],
  ['all have to go, the most important first', 0, [pod('a'), pod('b', { priority: 2 })], [], ['b', 'a'], 0],
  ['there is no room even without them', -1, [pod('a')], [], FULL, 0],
  [
    'who has a budget stays before one who has none',
    1,
    [pod('a', { priority: 2, labels: { app: 'free' } }), pod('b', { priority: 1 })],
    [budget(0)],
    ['a'],
    0,
  ],
  ['a budget that has to be violated is counted', 0, [pod('a')], [budget(0)], ['a'], 1],
];
for (const [name, room, pods, budgets, wanted, violations] of VICTIMS)
  test(`victims: ${name}`, () => {
    const found = selectVictims({
      demand: pod('urgent', { priority: 10 }),
      node: 'n',
      slot: 0,
      pods,
      budgets: readBudgets(budgets),
      failure: node(room, pods),
      nowMs: NOW,
    });
    if ('reasons' in found) assert.equal(found, wanted);
    else {
      assert.deepEqual(
        found.victims.map((one) => one.pod.metadata.name),
        wanted,
      );
      assert.deepEqual([found.node, found.budgetViolations], ['n', violations]);
    }
  });

for (const [name, isOfNodeAlone, tests] of [
  ['are not tried where another one found no room', true, 4],
  ['are tried each where it is not the node alone that refuses', false, 21],
] as const)
  test(`pods that are alike ${name}`, () => {
    const pods = Array.from({ length: 20 }, (_, i) => pod(`p${i}`));
    const failure = node(2, pods);
    let tested = 0;
    const counted: Failure = {
      ...failure,
      test: (slot) => (tested++, failure.test(slot)),
      isOfNodeAlone: () => isOfNodeAlone,
    };
    const search = { demand: pod('urgent', { priority: 10 }), node: 'n', slot: 0, pods, budgets: [], nowMs: NOW };
    const found = selectVictims({ ...search, failure: counted });
    assert.deepEqual('victims' in found ? found.victims.length : found, 18);
    assert.equal(tested, tests);
  });

test('who takes less than one that found no room is tried', () => {
  const scene = new Scene().nodes(makeNode('n', { cpu: '6' }));
  for (const [name, cpu, priority] of [
    ['large-1', '2', 3],
    ['large-2', '1500m', 2],
    ['large-3', '1500m', 1],
    ['small-1', '500m', 0],
    ['small-2', '500m', 0],
  ] as const) {
    scene.placed(makePod(name, { cpu, priority }), 'n');
  }
  const result = scene.postFilter(makePod('urgent', { cpu: '1500m', priority: 10 }));
  const told = result?.preemption?.told(() => true);
  assert.deepEqual(
    told?.listed.map(({ named }) => named.map(({ name }) => name)),
    [['large-3']],
  );
});
