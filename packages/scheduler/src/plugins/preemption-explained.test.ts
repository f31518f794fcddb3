/** What preemption says of what it looked at. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import type { ExplainedPreemption } from '../plan/preemption-tale.ts';
import { POD_DISRUPTION_BUDGETS } from '../refs.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';

const MORNING = '2026-01-01T06:00:00Z';
const NOON = '2026-01-01T12:00:00Z';

function running(name: string, priority: number, spec: { cpu?: string; started?: string; app?: string } = {}): Pod {
  const pod = makePod(name, { cpu: spec.cpu ?? '2', priority, labels: { app: spec.app ?? 'any' } });
  return { ...pod, status: { startTime: spec.started ?? MORNING } };
}

function told(scene: Scene, pod: Partial<Parameters<typeof makePod>[1]> = {}): ExplainedPreemption {
  const found = scene.postFilter(makePod('urgent', { cpu: '2', priority: 100, ...pod }));
  assert.ok(found?.preemption !== undefined);
  return found.preemption.told((uid) => scene.state.isBooked(uid));
}

function sceneOf(placed: readonly (readonly [Pod, string])[], guarded: readonly string[] = []): Scene {
  const names = [...new Set(['a', 'b', ...placed.map(([, node]) => node)])];
  const scene = new Scene().nodes(...names.map((name) => makeNode(name, { cpu: '2' })));
  for (const [pod, node] of placed) scene.placed(pod, node);
  for (const app of guarded) {
    scene.object(POD_DISRUPTION_BUDGETS, {
      metadata: { name: app, namespace: 'default' },
      spec: { selector: { matchLabels: { app } } },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    });
  }
  return scene;
}

const ROWS: readonly (readonly [name: string, scene: Scene, choice: readonly (readonly [string, number])[]])[] = [
  [
    'the only candidate',
    sceneOf([
      [running('x', 1), 'a'],
      [running('y', 200), 'b'],
    ]),
    [],
  ],
  [
    'one against a budget, one not',
    sceneOf(
      [
        [running('x', 1, { app: 'guarded' }), 'a'],
        [running('y', 50), 'b'],
      ],
      ['guarded'],
    ),
    [['fewestBudgetViolations', 1]],
  ],
  [
    'victims of another priority',
    sceneOf([
      [running('x', 20), 'a'],
      [running('y', 10), 'b'],
    ]),
    [
      ['fewestBudgetViolations', 2],
      ['lowestHighestPriority', 1],
    ],
  ],
  [
    'two victims against one',
    sceneOf([
      [running('x1', 10, { cpu: '1' }), 'a'],
      [running('x2', 10, { cpu: '1' }), 'a'],
      [running('y', 10), 'b'],
    ]),
    [
      ['fewestBudgetViolations', 2],
      ['lowestHighestPriority', 2],
      ['lowestPrioritySum', 1],
    ],
  ],
  [
    'who started last',
    sceneOf([
      [running('x', 10), 'a'],
      [running('y', 10, { started: NOON }), 'b'],
    ]),
    [
      ['fewestBudgetViolations', 2],
      ['lowestHighestPriority', 2],
      ['lowestPrioritySum', 2],
      ['fewestVictims', 2],
      ['latestStart', 1],
    ],
  ],
  [
    'candidates alike',
    sceneOf([
      [running('x', 10), 'a'],
      [running('y', 10), 'b'],
    ]),
    [
      ...([
        ['fewestBudgetViolations', 2],
        ['lowestHighestPriority', 2],
        ['lowestPrioritySum', 2],
      ] as const),
      ...([
        ['fewestVictims', 2],
        ['latestStart', 2],
        ['first', 1],
      ] as const),
    ],
  ],
];
for (const [name, scene, choice] of ROWS)
  test(`how one was chosen: ${name}`, () =>
    assert.deepEqual(
      told(scene).choice.map(({ by, left }) => [by, left]),
      choice,
    ));

test('candidates are told with their victims and the figures by which they are compared, the chosen one first', () => {
  const scene = sceneOf(
    [
      [running('x', 20, { app: 'guarded' }), 'a'],
      [running('y1', 10, { cpu: '1' }), 'b'],
      [running('y2', 30, { cpu: '1', started: NOON }), 'b'],
    ],
    ['guarded'],
  );
  const { tried, untried, candidates, listed, chosen, victimsLeft, unsuitable, extenders } = told(scene);
  assert.deepEqual([tried, untried, candidates, chosen, victimsLeft], [2, 0, 2, 'b', 2]);
  assert.deepEqual([unsuitable, extenders], [[], []]);
  const shift = 2 ** 31;
  const victim = (name: string, priority: number): object => ({ namespace: 'default', name, priority });
  assert.deepEqual(listed, [
    {
      ...{ node: 'b', victims: 2, named: [victim('y2', 30), victim('y1', 10)], budgetViolations: 0 },
      ...{ prioritySum: 40 + 2 * shift, highestPriority: 30, startedAtMs: Date.parse(NOON) },
    },
    {
      ...{ node: 'a', victims: 1, named: [victim('x', 20)], budgetViolations: 1 },
      ...{ prioritySum: 20 + shift, highestPriority: 20, startedAtMs: Date.parse(MORNING) },
    },
  ]);
});

test('why other nodes were none: nothing to gain, nobody less important, still no room', () => {
  const scene = sceneOf([
    [running('x', 200), 'a'],
    [running('y1', 200, { cpu: '1' }), 'b'],
    [running('y2', 1, { cpu: '1' }), 'b'],
  ]).nodes(...Array.from({ length: 6 }, (_, i) => makeNode(`closed-${i}`, { unschedulable: true })));
  const { unsuitable, tried, candidates, chosen, listed } = told(scene);
  assert.deepEqual([tried, candidates, chosen, listed], [2, 0, undefined, []]);
  assert.deepEqual(unsuitable, [
    {
      reason: 'Preemption is not helpful for scheduling',
      ...{ nodes: 6, names: ['closed-0', 'closed-1', 'closed-2', 'closed-3'] },
    },
    ...[
      { reason: 'No preemption victims found for incoming pod', nodes: 1, names: ['a'] },
      { reason: 'Insufficient cpu', nodes: 1, names: ['b'] },
    ].sort((one) => (unsuitable[1]?.reason === one.reason ? -1 : 1)),
  ]);
});

test('where nobody at all is less important, nothing is tried', () => {
  const { tried, unsuitable } = told(
    sceneOf([
      [running('x', 100), 'a'],
      [running('y', 100), 'b'],
    ]),
  );
  assert.deepEqual(
    [tried, unsuitable],
    [0, [{ reason: 'No preemption victims found for incoming pod', nodes: 2, names: ['a', 'b'] }]],
  );
});

test('where there are candidates enough, the rest is left untried', () => {
  const placed = Array.from({ length: 150 }, (_, i) => [running(`x${i}`, 1), `n${i}`] as const);
  const { tried, untried, candidates, listed } = told(
    sceneOf([...placed, [running('a', 200), 'a'], [running('b', 200), 'b']]),
  );
  assert.deepEqual([candidates, tried + untried, listed.length], [100, 152, 8]);
  assert.ok(untried >= 50 && untried <= 52, String(untried));
});

test('of many victims the most important are named', () => {
  const scene = new Scene().nodes(makeNode('a', { cpu: '2' }));
  for (let i = 0; i < 8; i++) scene.placed(running(`v${i}`, i, { cpu: '250m' }), 'a');
  const [only] = told(scene).listed;
  assert.deepEqual([only?.victims, only?.named.map(({ name }) => name)], [8, ['v7', 'v6', 'v5', 'v4']]);
});

test('a pod that may not take room says why, and looks at nothing', () => {
  const never = told(
    sceneOf([
      [running('x', 1), 'a'],
      [running('y', 1), 'b'],
    ]),
    { preemptionPolicy: 'Never' },
  );
  assert.deepEqual(
    [never.obstacle, never.tried, never.unsuitable],
    ['not eligible due to preemptionPolicy=Never.', 0, []],
  );
});
