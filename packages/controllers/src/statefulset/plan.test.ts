import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { StatefulSet, StatefulSetSpec } from '@binnacle/api/apps/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { isAvailable, nextAvailableMs, planSet } from './plan.ts';
import { statusOf } from './status.ts';

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [] } };
const NOW = Date.parse('2026-01-01T00:01:00Z');

/** `ordinal` and letters: o(ld), p(ending), u(nready), f(ailed), d(eleting), y(oung: ready for 5 s). */
function pod(text: string): Pod {
  const ordinal = /^\d+/.exec(text)?.[0] ?? '';
  const letters = text.slice(ordinal.length);
  const has = (letter: string): boolean => letters.includes(letter);
  const lastTransitionTime = has('y') ? '2026-01-01T00:00:55Z' : '2026-01-01T00:00:00Z';
  return {
    metadata: {
      name: `web-${ordinal}`,
      labels: { 'controller-revision-hash': has('o') ? 'web-old' : 'web-new' },
      ...(has('d') ? { deletionTimestamp: '2026-01-01T00:00:50Z' } : {}),
    },
    spec: { containers: [] },
    status: {
      phase: has('f') ? 'Failed' : has('p') ? 'Pending' : 'Running',
      conditions: [{ type: 'Ready', status: has('p') || has('u') ? 'False' : 'True', lastTransitionTime }],
    },
  };
}

function seen(spec: Partial<StatefulSetSpec>, pods: string) {
  const set: StatefulSet = {
    metadata: { name: 'web' },
    spec: {
      serviceName: 's',
      template,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
  };
  const [current, update] = [
    { name: 'web-old', template },
    { name: 'web-new', template },
  ];
  const maySeveralRoll = spec.updateStrategy?.rollingUpdate?.maxUnavailable !== undefined;
  return { set, current, update, pods: pods.split(' ').filter(Boolean).map(pod), nowMs: NOW, maySeveralRoll };
}

const parallel = { podManagementPolicy: 'Parallel' } as const;
const rolling = (partition: number, maxUnavailable?: number | string): Partial<StatefulSetSpec> => ({
  updateStrategy: {
    type: 'RollingUpdate',
    rollingUpdate: { partition, ...(maxUnavailable === undefined ? {} : { maxUnavailable }) },
  },
});

const ROWS: readonly [string, Partial<StatefulSetSpec>, string, string][] = [
  ['the first, alone', { replicas: 3 }, '', '+0'],
  ['the next, when the one before is ready', { replicas: 3 }, '0', '+1'],
  ['not while the one before is pending', { replicas: 3 }, '0p', ''],
  ['not while the one before is not available', { replicas: 3, minReadySeconds: 10 }, '0y', ''],
  ['all at once in parallel', { replicas: 3, ...parallel }, '1', '+0 +2'],
  ['from another start', { replicas: 2, ordinals: { start: 5 } }, '', '+5'],
  ['one that is missing below', { replicas: 3 }, '1 2', '+0'],
  ['a failed one is made anew', { replicas: 2 }, '0f 1', '-0'],
  ['a failed one that goes is waited for', { replicas: 2 }, '0fd 1', ''],
  ['one that goes holds everything', { replicas: 3 }, '0 1d', ''],
  ['scaled down: the highest first', { replicas: 1 }, '0 1 2', '-2'],
  ['scaled down: one at a time', { replicas: 1 }, '0 1 2d', ''],
  ['scaled down while another is unhealthy: waits', { replicas: 2 }, '0 1u 2', ''],
  ['scaled down: the unhealthy one itself goes', { replicas: 2 }, '0 1 2u', '-2'],
  ['scaled down: those that have ended wait for nothing', { replicas: 0 }, '1f 2f', '-2'],
  ['scaled down in parallel', { replicas: 1, ...parallel }, '0 1 2 3d', '-1 -2'],
  ['the start moved up', { replicas: 1, ordinals: { start: 1 } }, '0 1', '-0'],
  ['rolls from the highest', { replicas: 3 }, '0o 1o 2o', '-2'],
  ['rolls on when it is back', { replicas: 3 }, '0o 1o 2', '-1'],
  ['rolls not while it is not back', { replicas: 3 }, '0o 1o 2u', ''],
  ['rolls to the partition', { replicas: 3, ...rolling(2) }, '0o 1o 2', ''],
  ['below the partition, made as it was', { replicas: 3, ...rolling(2) }, '1o 2', '+0old'],
  ['above the partition, made anew', { replicas: 3, ...rolling(2) }, '0o 1o', '+2'],
  ['two may be unavailable', { replicas: 4, ...rolling(0, 2) }, '0o 1o 2o 3o', '-2 -3'],
  ['half may be unavailable', { replicas: 4, ...parallel, ...rolling(0, '50%') }, '0o 1o 2u 3', '-1'],
  ['a share of them, rounded down', { replicas: 5, ...rolling(0, '39%') }, '0o 1o 2o 3o 4o', '-4'],
  ['a share of them that comes to none: one', { replicas: 4, ...rolling(0, '1%') }, '0o 1o 2o 3o', '-3'],
  ['in parallel: from the highest, whatever is broken below', { replicas: 3, ...parallel }, '0o 1ou 2o', '-2'],
  ['in parallel: broken old ones, one at a time', { replicas: 3, ...parallel }, '0ou 1ou 2ou', '-2'],
  ['in parallel: not while the one above is not back', { replicas: 3, ...parallel }, '0ou 1o 2u', ''],
  ['in parallel: not while the one above goes', { replicas: 3, ...parallel }, '0o 1o 2od', ''],
  ['in parallel: a missing one above is made first', { replicas: 3, ...parallel }, '0o 1o', '+2'],
  ['in parallel: a failed one above is made anew first', { replicas: 3, ...parallel }, '0o 1o 2of', '-2'],
  ['in parallel: a broken new one below holds nobody', { replicas: 3, ...parallel }, '0u 1o 2o', '-2'],
  [
    'in parallel: one that is ready too short a time',
    { replicas: 3, minReadySeconds: 10, ...parallel },
    '0o 1o 2y',
    '',
  ],
  ['in parallel: all are fresh, one goes', { replicas: 3, minReadySeconds: 10, ...parallel }, '0oy 1oy 2oy', '-2'],
  ['so many, parallel: broken old ones are free', { replicas: 3, ...parallel, ...rolling(0, 1) }, '0o 1ou 2o', '-1'],
  ['so many, parallel: all broken ones', { replicas: 3, ...parallel, ...rolling(0, 1) }, '0ou 1ou 2ou', '-0 -1 -2'],
  ['so many, parallel: to the partition', { replicas: 3, ...parallel, ...rolling(1, 1) }, '0ou 1ou 2o', '-1'],
  ['so many, ordered: all are back first', { replicas: 3, ...rolling(0, 2) }, '0o 1ou 2o', ''],
  ['on delete: nothing by itself', { replicas: 2, updateStrategy: { type: 'OnDelete' } }, '0o 1o', ''],
  ['on delete: what is deleted is made anew', { replicas: 2, updateStrategy: { type: 'OnDelete' } }, '0o', '+1'],
  ['no update before the surplus is gone', { replicas: 2 }, '0o 1o 2', '-2'],
];
for (const [name, spec, pods, expected] of ROWS) {
  test(name, () => {
    const plan = planSet(seen(spec, pods));
    const made = plan.create.map((one) => `+${one.ordinal}${one.revision.name === 'web-old' ? 'old' : ''}`);
    const gone = plan.remove.map((one) => `-${(one.metadata.name ?? '').slice(4)}`);
    assert.deepEqual([...made, ...gone].toSorted(), expected.split(' ').filter(Boolean).toSorted());
  });
}

test('how many may be unavailable counts with its gate alone, and is one where nothing is said', () => {
  const off = { ...seen({ replicas: 3, ...rolling(0, 3) }, '0o 1o 2o'), maySeveralRoll: false };
  assert.deepEqual(
    planSet(off).remove.map(({ metadata }) => metadata.name),
    ['web-2'],
  );
  const on = { ...seen({ replicas: 3, ...parallel }, '0o 1ou 2ou'), maySeveralRoll: true };
  assert.deepEqual(
    planSet(on).remove.map(({ metadata }) => metadata.name),
    ['web-2', 'web-1'],
  );
});

for (const [name, spec, pods, expected] of [
  ['nothing to do', rolling(0, 2), '0 1 2', { policy: 'OrderedReady', most: 2, unavailable: 0 }],
  ['a share', { ...parallel, ...rolling(2, '67%') }, '0 1 2', { policy: 'Parallel', most: 2, unavailable: 0 }],
  [
    'those that are missing, not ready and going, below the partition too',
    { ...parallel, ...rolling(2, 1) },
    '0u 1d',
    { policy: 'Parallel', most: 1, unavailable: 3 },
  ],
  ['not in order, while one is not ready', rolling(0, 2), '0 1u 2', undefined],
  ['not in order, while one is too many', rolling(0, 2), '0 1 2 3', undefined],
  ['not by hand', { updateStrategy: { type: 'OnDelete' } }, '0 1 2', undefined],
] as const)
  test(`how far a set is from what it may lack: ${name}`, () => {
    const at = { ...seen({ replicas: 3, ...spec }, pods), maySeveralRoll: true };
    assert.deepEqual(planSet(at).rollout, expected);
    assert.equal(planSet({ ...at, maySeveralRoll: false }).rollout, undefined);
  });

test('two thousand million replicas are made some at a time', () => {
  assert.equal(planSet(seen({ replicas: 2_147_483_647, ...parallel }, '')).create.length, 500);
});

test('reports counts, and the update revision as current when all is done', () => {
  const { replicas, readyReplicas, availableReplicas, currentReplicas, updatedReplicas, currentRevision } = statusOf(
    seen({ replicas: 4, minReadySeconds: 10 }, '0o 1oy 2p 3d'),
    0,
  );
  assert.deepEqual(
    [replicas, readyReplicas, availableReplicas, currentReplicas, updatedReplicas, currentRevision],
    [4, 3, 2, 2, 1, 'web-old'],
  );
  assert.equal(statusOf(seen({ replicas: 2 }, '0 1'), 0).currentRevision, 'web-new');
});

for (const [name, minReadySeconds, pods, expected] of [
  ['no pods', 10, '', undefined],
  ['all ready for long enough', 10, '0 1', undefined],
  ['one is ready for 5 of 10 s', 10, '0 1y', 5000],
  ['the soonest, also beyond the ordinals', 10, '0y 7y', 5000],
  ['one that is not ready is not waited for', 10, '0p 1u', undefined],
  ['ready is enough', 0, '0y', undefined],
  ['without a word about it ready is enough', undefined, '0y', undefined],
] as const)
  test(`until the next pod is available: ${name}`, () => {
    const spec = minReadySeconds === undefined ? {} : { minReadySeconds };
    assert.equal(nextAvailableMs(seen(spec, pods)), expected);
  });

for (const [name, minReadySeconds, letters, expected] of [
  ['ready', 0, '0', true],
  ['not ready', 0, '0u', false],
  ['pending', 0, '0p', false],
  ['failed though it calls itself ready', 0, '0f', false],
  ['ready for too short a time', 6, '0y', false],
  ['ready for just long enough', 5, '0y', true],
  ['it goes: available until it is gone', 0, '0d', true],
] as const)
  test(`a pod of a set is available: ${name}`, () =>
    assert.equal(isAvailable(seen({ minReadySeconds }, ''), pod(letters)), expected));
