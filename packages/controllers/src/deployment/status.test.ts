import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type {
  Deployment,
  DeploymentCondition,
  DeploymentSpec,
  DeploymentStatus,
  ReplicaSet,
} from '@binnacle/api/apps/v1';
import { isProgress } from './conditions.ts';
import { tellPause } from './progress.ts';
import { byAge } from './replica-sets.ts';
import { countStatus, deadlineCheckMs, rolloutStatus } from './status.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const now = '2026-01-01T00:10:00Z';
const EARLIER = '2026-01-01T00:00:00Z';

// Upstream's four ways of getting on; anything else is standing still.
const STEPS: readonly [name: string, before: DeploymentStatus | undefined, after: DeploymentStatus, moves: boolean][] =
  [
    ['nothing changed', { replicas: 3, updatedReplicas: 1 }, { replicas: 3, updatedReplicas: 1 }, false],
    ['nothing was known, nothing is', undefined, {}, false],
    ['more new pods', { replicas: 3, updatedReplicas: 1 }, { replicas: 4, updatedReplicas: 2 }, true],
    ['fewer old pods', { replicas: 3, updatedReplicas: 1 }, { replicas: 2, updatedReplicas: 1 }, true],
    ['more old pods', { replicas: 3, updatedReplicas: 1 }, { replicas: 4, updatedReplicas: 1 }, false],
    ['more are ready', { readyReplicas: 1 }, { readyReplicas: 2 }, true],
    ['fewer are ready', { readyReplicas: 2 }, { readyReplicas: 1 }, false],
    ['more are available', { availableReplicas: 1 }, { availableReplicas: 2 }, true],
    ['fewer are available', { availableReplicas: 2 }, {}, false],
  ];
for (const [name, before, after, moves] of STEPS)
  test(`a rollout moves: ${name}`, () => assert.equal(isProgress(before, after), moves));

function set(
  name: string,
  status: Partial<NonNullable<ReplicaSet['status']>> = {},
  more: { replicas?: number; created?: string } = {},
): ReplicaSet {
  const { replicas = 2, created = EARLIER } = more;
  return {
    metadata: { name, creationTimestamp: created },
    spec: { replicas, selector: {} },
    status: { replicas: 0, ...status },
  };
}
for (const [name, a, b] of [
  ['the older one', set('z'), set('a', {}, { created: now })],
  ['of equals the name decides', set('a'), set('b')],
] as const)
  test(`which set comes first: ${name}`, () => {
    assert.ok(byAge(a, b) < 0 && byAge(b, a) > 0);
  });

function deployment(spec: Partial<DeploymentSpec> = {}, status: DeploymentStatus = {}): Deployment {
  const template = { metadata: {}, spec: { containers: [] } };
  return {
    metadata: { name: 'd', generation: 4 },
    spec: { replicas: 2, selector: {}, template, progressDeadlineSeconds: 600, ...spec },
    status,
  };
}
const progressing = (reason: string, more: Partial<DeploymentCondition> = {}): DeploymentCondition => ({
  type: 'Progressing',
  status: 'True',
  reason,
  lastUpdateTime: EARLIER,
  lastTransitionTime: EARLIER,
  ...more,
});
const shown = ({ conditions = [] }: DeploymentStatus, type: string): string | undefined => {
  const found = conditions.find((one) => one.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
};

test('the counts of all sets, those that are zero left out but the ones that Go points to', () => {
  const newSet = set('new', { replicas: 1, readyReplicas: 1, availableReplicas: 1, terminatingReplicas: 0 });
  const old = set('old', { replicas: 2, readyReplicas: 1 });
  const { conditions: _conditions, ...counts } = countStatus({ deployment: deployment(), newSet, oldSets: [old] }, NOW);
  assert.deepEqual(counts, {
    observedGeneration: 4,
    replicas: 3,
    updatedReplicas: 1,
    readyReplicas: 2,
    availableReplicas: 1,
    unavailableReplicas: 3,
    terminatingReplicas: 0,
  });
});

const MANY = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } as const;
for (const [name, spec, available, wanted] of [
  ['all are there', {}, 2, 'True MinimumReplicasAvailable'],
  ['one may be missing', { strategy: MANY }, 1, 'True MinimumReplicasAvailable'],
  ['a quarter of two is none', {}, 1, 'False MinimumReplicasUnavailable'],
  ['recreated: none may be missing', { strategy: { type: 'Recreate' } }, 1, 'False MinimumReplicasUnavailable'],
  ['none is wanted', { replicas: 0 }, 0, 'True MinimumReplicasAvailable'],
] as const)
  test(`enough are available: ${name}`, () => {
    const newSet = set('new', { replicas: available, availableReplicas: available });
    assert.equal(shown(countStatus({ deployment: deployment(spec), newSet, oldSets: [] }, NOW), 'Available'), wanted);
  });

const DONE: DeploymentStatus = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
const HALF: DeploymentStatus = { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
const old = (one: DeploymentCondition): DeploymentStatus => ({ ...HALF, conditions: [one] });
const { updatedReplicas: _updated, ...DONE_SET } = DONE;
const HALF_SETS = { replicas: 1, readyReplicas: 1, availableReplicas: 1 };
const ROLLOUTS: readonly [
  name: string,
  deployment: Deployment,
  newStatus: Partial<NonNullable<ReplicaSet['status']>>,
  oldReplicas: number,
  wanted: string | undefined,
][] = [
  ['complete', deployment({}, HALF), DONE_SET, 0, 'True NewReplicaSetAvailable'],
  ['it moves', deployment({}, {}), HALF_SETS, 1, 'True ReplicaSetUpdated'],
  [
    'it stands, within the deadline',
    deployment({ progressDeadlineSeconds: 601 }, old(progressing('ReplicaSetUpdated'))),
    HALF_SETS,
    1,
    'True ReplicaSetUpdated',
  ],
  [
    'it stands, past the deadline',
    deployment({ progressDeadlineSeconds: 599 }, old(progressing('ReplicaSetUpdated'))),
    HALF_SETS,
    1,
    'False ProgressDeadlineExceeded',
  ],
  [
    'it has timed out and stands',
    deployment({ progressDeadlineSeconds: 9999 }, old(progressing('ProgressDeadlineExceeded', { status: 'False' }))),
    HALF_SETS,
    1,
    'False ProgressDeadlineExceeded',
  ],
  [
    'no deadline: nothing is told',
    deployment({ progressDeadlineSeconds: 2_147_483_647 }, old(progressing('ReplicaSetUpdated'))),
    HALF_SETS,
    1,
    undefined,
  ],
  [
    'complete before: a pod that is not ready is no new rollout',
    deployment({ progressDeadlineSeconds: 1 }, { ...DONE, conditions: [progressing('NewReplicaSetAvailable')] }),
    { replicas: 2, readyReplicas: 1, availableReplicas: 1 },
    0,
    'True NewReplicaSetAvailable',
  ],
];
for (const [name, of, newStatus, oldReplicas, wanted] of ROLLOUTS)
  test(`how a rollout goes: ${name}`, () => {
    const oldSets = oldReplicas === 0 ? [] : [set('old', { replicas: oldReplicas }, { replicas: oldReplicas })];
    const status = rolloutStatus({ deployment: of, newSet: set('new', newStatus), oldSets }, NOW);
    assert.equal(shown(status, 'Progressing'), wanted);
  });

test('the trouble of the new set is told before that of an old one, and forgotten with it', () => {
  const failing = (reason: string) => ({ conditions: [{ type: 'ReplicaFailure', status: 'True' as const, reason }] });
  const of = (newSet: ReplicaSet, oldSet: ReplicaSet, status: DeploymentStatus = {}): string | undefined =>
    shown(rolloutStatus({ deployment: deployment({}, status), newSet, oldSets: [oldSet] }, NOW), 'ReplicaFailure');
  assert.equal(of(set('n', failing('New')), set('o', failing('Old'))), 'True New');
  assert.equal(of(set('n'), set('o', failing('Old'))), 'True Old');
  const before = { conditions: [{ type: 'ReplicaFailure', status: 'True' as const, reason: 'Old' }] };
  assert.equal(of(set('n'), set('o'), before), undefined);
});

for (const [name, of, status, wanted] of [
  [
    'what is left of the deadline, and a second',
    deployment(),
    old(progressing('ReplicaSetUpdated', { lastUpdateTime: now })),
    601_000,
  ],
  ['a deadline that is over', deployment({ progressDeadlineSeconds: 10 }), old(progressing('ReplicaSetUpdated')), 1000],
  [
    'no deadline',
    deployment({ progressDeadlineSeconds: 2_147_483_647 }),
    old(progressing('ReplicaSetUpdated')),
    undefined,
  ],
  ['nothing was told yet', deployment(), HALF, undefined],
  ['it was missed already', deployment(), old(progressing('ProgressDeadlineExceeded')), undefined],
  ['it was complete', deployment(), old(progressing('NewReplicaSetAvailable')), undefined],
  [
    'it is complete',
    deployment(),
    { ...DONE, observedGeneration: 4, conditions: [progressing('ReplicaSetUpdated')] },
    undefined,
  ],
] as const)
  test(`when to look again: ${name}`, () => assert.equal(deadlineCheckMs(of, status, NOW), wanted));

for (const [name, spec, reason, wanted] of [
  ['paused', { paused: true }, 'ReplicaSetUpdated', 'Unknown DeploymentPaused'],
  ['paused still', { paused: true }, 'DeploymentPaused', undefined],
  ['resumed', {}, 'DeploymentPaused', 'Unknown DeploymentResumed'],
  ['it goes on', {}, 'ReplicaSetUpdated', undefined],
  ['paused past its deadline', { paused: true }, 'ProgressDeadlineExceeded', undefined],
  [
    'paused without a deadline',
    { paused: true, progressDeadlineSeconds: 2_147_483_647 },
    'ReplicaSetUpdated',
    undefined,
  ],
] as const)
  test(`pauses: ${name}`, () => {
    const told = tellPause(deployment(spec, { conditions: [progressing(reason)] }), NOW);
    assert.equal(told === undefined ? undefined : shown(told, 'Progressing'), wanted);
  });
