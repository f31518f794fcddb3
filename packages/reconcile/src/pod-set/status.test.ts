import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { countPods, decideStatus } from './status.ts';
import type { PodCounts, PodSetStatus, StatusInput } from './status.ts';

const NOW = '2026-01-01T00:00:00Z';
const NOW_MS = Date.parse(NOW);
const READY = { type: 'Ready', status: 'True' as const };

function pod(changes: { labels?: Record<string, string>; status?: Pod['status']; going?: true }): Pod {
  const going = changes.going === true ? { deletionTimestamp: NOW } : {};
  return {
    metadata: { name: 'p', labels: changes.labels ?? { a: 'b' }, ...going },
    spec: { containers: [] },
    status: changes.status ?? { phase: 'Running' },
  } as Pod;
}

const ready = (secondsAgo: number): Pod =>
  pod({
    status: {
      phase: 'Running',
      conditions: [{ ...READY, lastTransitionTime: new Date(NOW_MS - secondsAgo * 1000).toISOString() }],
    },
  });

describe('the pods of a set, counted', () => {
  const rows: readonly (readonly [name: string, pods: readonly Pod[], counts: Partial<PodCounts>])[] = [
    ['none', [], { replicas: 0, fullyLabeled: 0, ready: 0, available: 0, terminating: 0, nextAvailableMs: undefined }],
    ['one that is not ready', [pod({})], { replicas: 1, fullyLabeled: 1, ready: 0, available: 0 }],
    ['one without a label of the template', [pod({ labels: { a: 'c' } })], { replicas: 1, fullyLabeled: 0 }],
    ['one that ended', [pod({ status: { phase: 'Failed' } })], { replicas: 0, terminating: 0 }],
    ['one that goes', [pod({ going: true })], { replicas: 0, terminating: 1 }],
    ['one that goes and has ended', [pod({ going: true, status: { phase: 'Succeeded' } })], { terminating: 0 }],
    ['ready for long enough', [ready(10)], { ready: 1, available: 1, nextAvailableMs: undefined }],
    ['ready, but not for long', [ready(4)], { ready: 1, available: 0, nextAvailableMs: 6_000 }],
    [
      'the next of several',
      [ready(4), ready(7), ready(1), ready(11)],
      { ready: 4, available: 1, nextAvailableMs: 3_000 },
    ],
  ];
  for (const [name, pods, counts] of rows) {
    test(name, () => {
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [] } };
      assert.partialDeepStrictEqual(countPods(pods, { template, minReadySeconds: 10, nowMs: NOW_MS }), counts);
    });
  }
});

describe('the status of a set', () => {
  const counts: PodCounts = {
    replicas: 3,
    fullyLabeled: 3,
    ready: 2,
    available: 1,
    terminating: 1,
    nextAvailableMs: undefined,
  };
  const before: PodSetStatus = {
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 1,
    observedGeneration: 4,
  };
  const decide = (changes: Partial<StatusInput>): PodSetStatus =>
    decideStatus({ before, counts, generation: 4, failure: undefined, now: NOW, tellsTerminating: true, ...changes });

  test('the very one from before where nothing changed', () => assert.equal(decide({}), before));

  const changes: readonly (readonly [name: string, changes: Partial<StatusInput>, shown: Partial<PodSetStatus>])[] = [
    ['none before', { before: undefined }, { replicas: 3, observedGeneration: 4 }],
    ['another number', { counts: { ...counts, replicas: 4 } }, { replicas: 4 }],
    ['labels', { counts: { ...counts, fullyLabeled: 1 } }, { fullyLabeledReplicas: 1 }],
    ['readiness', { counts: { ...counts, ready: 3 } }, { readyReplicas: 3 }],
    ['availability', { counts: { ...counts, available: 2 } }, { availableReplicas: 2 }],
    ['one that goes', { counts: { ...counts, terminating: 0 } }, { terminatingReplicas: 0 }],
    ['a newer definition', { generation: 5 }, { observedGeneration: 5 }],
    ['a definition older than what was reported', { generation: 3 }, { observedGeneration: 4 }],
  ];
  for (const [name, change, shown] of changes) {
    test(`another one: ${name}`, () => {
      const after = decide(change);
      assert.notEqual(after, before);
      assert.deepEqual(after, { ...before, ...shown });
    });
  }

  test('pods that go are no change where the kind does not tell of them', () => {
    const { terminatingReplicas: _, ...silent } = before;
    const given = { before: silent, tellsTerminating: false };
    assert.equal(decide({ ...given, counts: { ...counts, terminating: 9 } }), silent);
    assert.equal('terminatingReplicas' in decide({ ...given, generation: 5 }), false);
  });

  describe('a failure to make or delete pods', () => {
    const failure = { reason: 'FailedCreate', message: 'exceeded quota' } as const;
    const failed = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: NOW, ...failure };
    const other = { type: 'Other', status: 'True' };

    test('is told beside what others say', () => {
      assert.deepEqual(decide({ failure }).conditions, [failed]);
      assert.deepEqual(decide({ failure, before: { ...before, conditions: [other] } }).conditions, [other, failed]);
    });

    test('that is told already keeps its words', () => {
      const told = { ...before, conditions: [other, failed] };
      assert.equal(decide({ before: told, failure: { ...failure, message: 'exceeded quota again' } }), told);
    });

    test('is told no longer once it is over', () => {
      assert.deepEqual(decide({ before: { ...before, conditions: [failed, other] } }).conditions, [other]);
      assert.equal('conditions' in decide({ before: { ...before, conditions: [failed] } }), false);
    });

    test('conditions of others are no change', () => {
      const told = { ...before, conditions: [other] };
      assert.equal(decide({ before: told }), told);
      const empty = { ...before, conditions: [] };
      assert.equal(decide({ before: empty }), empty);
    });
  });
});
