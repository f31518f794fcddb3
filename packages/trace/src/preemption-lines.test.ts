import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodPreemption } from './explanation.ts';
import { preemptionLines } from './preemption-lines.ts';

const NONE: PodPreemption = {
  ...{ atMs: 1, tried: 0, untried: 0, candidates: 0, victimsLeft: 0 },
  ...{ unsuitable: [], listed: [], extenders: [], choice: [], steps: [] },
};
const victim = (name: string, priority: number) => ({ namespace: 'a', name, priority });
const FULL: PodPreemption = {
  ...NONE,
  ...{ tried: 12, untried: 1, candidates: 3, chosen: 'n1', victimsLeft: 1 },
  unsuitable: [
    { reason: 'Preemption is not helpful for scheduling', nodes: 3, names: ['m1', 'm2'] },
    { reason: 'Insufficient cpu', nodes: 1, names: ['m4'] },
  ],
  listed: [
    {
      ...{ node: 'n1', victims: 6, named: [victim('x', 10), victim('y', 5)], budgetViolations: 0 },
      ...{ prioritySum: 7, highestPriority: 10, startedAtMs: 5 },
    },
    { node: 'n2', victims: 1, named: [], budgetViolations: 1, prioritySum: 7, highestPriority: 20 },
  ],
  extenders: [
    { name: 'http://e', left: 2, failed: false },
    { name: 'http://f', left: 2, failed: true },
  ],
  choice: [
    { by: 'fewestBudgetViolations', left: 2 },
    { by: 'lowestHighestPriority', left: 1 },
  ],
  steps: [
    { atMs: 2, what: 'asked', times: 1, pods: 2 },
    { atMs: 3, what: 'waits', times: 4 },
    { atMs: 4, what: 'withdrawn', times: 1, pod: { namespace: 'b', name: 'boss' } },
    { atMs: 5, what: 'withdrawn', times: 1 },
    { atMs: 6, what: 'cleared', times: 1, node: '' },
    { atMs: 7, what: 'placed', times: 1, node: 'n9' },
    { atMs: 8, what: 'of a later version', times: 1 },
  ],
};

const ROWS: readonly (readonly [name: string, preemption: unknown, lines: readonly string[]])[] = [
  ['did not run', undefined, []],
  ['is something else', 5, []],
  ['odd members', { listed: 'x', steps: [null, 5], unsuitable: {} }, ['preemption: NaN candidates of NaN nodes tried']],
  ['may not', { ...NONE, obstacle: 'not eligible' }, ['preemption: not eligible']],
  ['found nothing', { ...NONE, tried: 1 }, ['preemption: 0 candidates of 1 node tried']],
  [
    'the only candidate',
    { ...NONE, tried: 1, candidates: 1, chosen: 'n1' },
    ['preemption: 1 candidate of 1 node tried', 'chosen: n1, the only one left'],
  ],
  [
    'found much',
    FULL,
    [
      'preemption: 3 candidates of 12 nodes tried, 1 more node left untried',
      'nothing to gain on 3 nodes (Preemption is not helpful for scheduling): m1, m2, …',
      'nothing to gain on 1 node (Insufficient cpu): m4',
      'candidate n1: 6 victims, highest priority 10: a/x (10), a/y (5), 4 more',
      'candidate n2: 1 victim, highest priority 20, 1 against a budget: 1 pod',
      'and 1 more candidate',
      'extender http://e left 2 candidates',
      'extender http://f failed and is passed over: 2 candidates',
      'chosen: n1, by the fewest violated budgets (2 left), the least important of the most important victims (1 left)',
      '2 victims were asked to end',
      'tried again while a victim still ended (4 times)',
      'the room went to b/boss, which is more important',
      'the room went to a pod, which is more important',
      'its status was told to wait for no node',
      'placed on n9',
      'of a later version',
      '1 victim was there still',
    ],
  ],
];
for (const [name, preemption, lines] of ROWS)
  test(`lines of preemption that ${name}`, () => assert.deepEqual(preemptionLines({ preemption }), lines));
