import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from '@binnacle/api/policy/v1';
import { budgetStatus, failedStatus, isRelative, overdue, recheckMs } from './decide.ts';

const now = '2026-01-01T00:10:00Z';
const nowMs = Date.parse(now);
const MINUTE_AGO = '2026-01-01T00:09:00Z';
const LONG_AGO = '2026-01-01T00:01:00Z';

/** Names of pods: u(nready) and d(eleting) as letters after a number. */
function pod(text: string): Pod {
  return {
    metadata: { name: text, ...(text.includes('d') ? { deletionTimestamp: now } : {}) },
    spec: { containers: [] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: text.includes('u') ? 'False' : 'True' }] },
  };
}

function seen(spec: PodDisruptionBudgetSpec, pods: string, status?: Partial<PodDisruptionBudgetStatus>) {
  const zero = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  const budget: PodDisruptionBudget = {
    metadata: { name: 'b', generation: 2 },
    spec,
    ...(status === undefined ? {} : { status: { ...zero, ...status } }),
  };
  return { budget, pods: pods.split(' ').filter(Boolean).map(pod), expectedScale: 5, now, nowMs };
}

const ROWS: readonly [string, PodDisruptionBudgetSpec, string, Partial<PodDisruptionBudgetStatus>, string][] = [
  ['so many must be left', { minAvailable: 2 }, '1 2 3', {}, '1 of 3/2/3'],
  ['an unready one does not count', { minAvailable: 2 }, '1 2 3u', {}, '0 of 2/2/3'],
  ['nor one that goes', { minAvailable: 2 }, '1 2 3d', {}, '0 of 2/2/3'],
  [
    'nor one whose eviction was granted',
    { minAvailable: 1 },
    '1 2 3',
    { disruptedPods: { 2: MINUTE_AGO } },
    '1 of 2/1/3',
  ],
  ['until that is overdue', { minAvailable: 1 }, '1 2 3', { disruptedPods: { 2: LONG_AGO } }, '2 of 3/1/3'],
  ['a share of what there should be', { minAvailable: '50%' }, '1 2 3 4', {}, '1 of 4/3/5'],
  ['so many may be missing', { maxUnavailable: 1 }, '1 2 3 4 5', {}, '1 of 5/4/5'],
  ['a share may be missing, rounded up', { maxUnavailable: '30%' }, '1 2 3 4 5', {}, '2 of 5/3/5'],
  ['more may be missing than there are', { maxUnavailable: 9 }, '1 2', {}, '2 of 2/0/5'],
  ['no pods', { minAvailable: 0 }, '', {}, '0 of 0/0/0'],
];
for (const [name, spec, pods, status, expected] of ROWS) {
  test(name, () => {
    const after = budgetStatus(seen(spec, pods, status));
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods, conditions } = after;
    assert.equal(`${disruptionsAllowed} of ${currentHealthy}/${desiredHealthy}/${expectedPods}`, expected);
    const reason = disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods';
    assert.deepEqual([conditions?.[0]?.type, conditions?.[0]?.reason], ['DisruptionAllowed', reason]);
  });
}

test('granted evictions survive while their pod is there, waits for it, and is not going', () => {
  const disruptedPods = { 1: MINUTE_AGO, '2d': MINUTE_AGO, gone: MINUTE_AGO, 3: LONG_AGO };
  const of = seen({ minAvailable: 1 }, '1 2d 3', { disruptedPods });
  assert.deepEqual(budgetStatus(of).disruptedPods, { 1: MINUTE_AGO });
  assert.deepEqual(
    overdue(of).map((one) => one.metadata.name),
    ['3'],
  );
  assert.equal(recheckMs(of), 60_000);
});

test('the very status when nothing changes; no eviction when it cannot be told', () => {
  const first = seen({ minAvailable: 1 }, '1 2', {});
  const status = budgetStatus(first);
  const again = { ...first, budget: { ...first.budget, status }, now: 'later' };
  assert.equal(budgetStatus(again), status);
  const failed = failedStatus(again, 'why');
  assert.deepEqual(
    [failed.disruptionsAllowed, failed.currentHealthy, failed.conditions?.[0]?.reason],
    [0, 2, 'SyncFailed'],
  );
});

test('only shares and what may be missing are relative', () => {
  const is = (spec: PodDisruptionBudgetSpec): boolean => isRelative({ metadata: {}, spec });
  assert.deepEqual([{ minAvailable: 1 }, { minAvailable: '1%' }, { maxUnavailable: 0 }].map(is), [false, true, true]);
});
