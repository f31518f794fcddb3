import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Node, NodeCondition } from '@binnacle/api/core/v1';
import { conditionsWhenSilent, readinessOf, silentInMs } from './health.ts';

const CREATED = Date.UTC(2026, 0, 1);
const node = (reported: boolean): Node => ({
  metadata: { creationTimestamp: new Date(CREATED).toISOString() },
  spec: {},
  status: { conditions: reported ? [{ type: 'Ready', status: 'True' }] : [] },
});
const short = { monitorGraceMs: 5000, startupGraceMs: 7000 };

/** So much after the node was made, and so much after the process began. */
const clock = { now: () => CREATED + 20_000, monotonic: () => 4_000 };

for (const [name, reported, at, patience, expected] of [
  ['after its last word', true, 1000, undefined, 47_000],
  ['after its last word, as asked for', true, 1000, short, 2000],
  ['from its creation', false, 1000, undefined, 40_000],
  ['from its creation, as asked for', false, undefined, short, -13_000],
  ['from its creation, before anything is known', true, undefined, undefined, 40_000],
] as const) {
  test(`a node is silent for too long: ${name}`, () => {
    assert.equal(silentInMs(node(reported), { at, clock }, patience), expected);
  });
}

const NOW = '2026-01-01T00:05:00Z';
const BEFORE = '2026-01-01T00:00:30Z';
const said = (type: string, status: string): NodeCondition => ({
  type,
  status,
  reason: 'KubeletHas',
  message: 'm',
  lastHeartbeatTime: BEFORE,
  lastTransitionTime: BEFORE,
});
const withConditions = (conditions?: readonly NodeCondition[]): Node => ({
  metadata: { creationTimestamp: BEFORE },
  spec: {},
  ...(conditions === undefined ? {} : { status: { conditions } }),
});
const SILENT: readonly [name: string, before: readonly NodeCondition[] | undefined, after: readonly string[]][] = [
  [
    'it never said anything',
    undefined,
    ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => `${type} NodeStatusNeverUpdated ${NOW}`),
  ],
  [
    'it said some',
    [said('DiskPressure', 'False'), said('Ready', 'True')],
    [
      `DiskPressure NodeStatusUnknown ${NOW}`,
      `Ready NodeStatusUnknown ${NOW}`,
      `MemoryPressure NodeStatusNeverUpdated ${NOW}`,
      `PIDPressure NodeStatusNeverUpdated ${NOW}`,
    ],
  ],
  [
    'a problem is not known any more either; what others vouch for stays',
    [said('NetworkUnavailable', 'False'), said('Ready', 'False'), said('MemoryPressure', 'True')],
    [
      `NetworkUnavailable KubeletHas ${BEFORE}`,
      `Ready NodeStatusUnknown ${NOW}`,
      `MemoryPressure NodeStatusUnknown ${NOW}`,
      `DiskPressure NodeStatusNeverUpdated ${NOW}`,
      `PIDPressure NodeStatusNeverUpdated ${NOW}`,
    ],
  ],
];
for (const [name, before, expected] of SILENT)
  test(`conditions of a silent node: ${name}`, () => {
    const after = conditionsWhenSilent(withConditions(before), NOW);
    assert.deepEqual(
      after.map(({ type, reason, lastTransitionTime }) => `${type} ${reason} ${lastTransitionTime}`),
      expected,
    );
    assert.equal(conditionsWhenSilent(withConditions(after), 'later'), after, 'told once');
    for (const one of after) assert.equal(one.lastHeartbeatTime, BEFORE, 'a heartbeat that was, or the creation');
  });
test('a silent node’s conditions tell why', () => {
  const [ready, , , pids] = conditionsWhenSilent(withConditions([said('Ready', 'True')]), NOW);
  assert.equal(ready?.message, 'Kubelet stopped posting node status.');
  assert.equal(pids?.message, 'Kubelet never posted node status.');
});

test('what Ready says; anything else is Unknown', () => {
  const of = (...conditions: readonly NodeCondition[]): string => readinessOf(withConditions(conditions));
  assert.deepEqual(
    [
      of(),
      of(said('Ready', 'True')),
      of(said('Ready', 'False')),
      of(said('Ready', 'Unknown')),
      of(said('DiskPressure', 'True')),
    ],
    ['Unknown', 'True', 'False', 'Unknown', 'Unknown'],
  );
});
