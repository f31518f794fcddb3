import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import type { Job } from '@binnacle/api/batch/v1';
import type { ContainerStatus, Pod } from '@binnacle/api/core/v1';
import { endedAtMs, failuresOfIndex, INDEX_FAILURES, INDEX_IGNORED_FAILURES, lastFailures } from './index-failures.ts';

const job = (more: object = {}): Job =>
  ({ metadata: { name: 'j' }, spec: { completions: 3, backoffLimitPerIndex: 1, template: {}, ...more } }) as Job;
const pod = (annotations: { [name: string]: string }, metadata: object = {}, phase = 'Failed'): Pod =>
  ({
    metadata: { name: 'p', annotations, ...metadata },
    spec: { containers: [] },
    status: { phase },
  }) as unknown as Pod;

const ROWS: readonly (readonly [written: string | undefined, failures: number])[] = [
  [undefined, 1],
  ['0', 1],
  ['2', 3],
  // Written by somebody else: as if nothing was, so that the index still comes to its limit.
  ['many', 1],
  ['-5', 1],
  ['1e9', 1],
  ['', 1],
];
for (const [written, failures] of ROWS)
  test(`failures of an index, before: ${written ?? 'none'}`, () => {
    const one = pod(written === undefined ? {} : { [INDEX_FAILURES]: written });
    assert.deepEqual(failuresOfIndex(job(), one), { counted: failures, ignored: 0 });
  });

describe('the last failure of an index', () => {
  const at = (name: string, index: string, more: { [name: string]: string } = {}, phase?: string): Pod => {
    const annotations = { 'batch.kubernetes.io/job-completion-index': index, ...more };
    return pod(annotations, { name, creationTimestamp: `2026-01-01T00:00:0${name}Z` }, phase);
  };
  const told = (pods: readonly Pod[], of = job()): unknown =>
    [...lastFailures(of, pods)].map(([index, { metadata }]) => `${index}: ${metadata.name}`);
  const going = (name: string): Pod => {
    const one = at(name, '0', {}, 'Running');
    return { ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:09Z' } };
  };
  for (const [name, pods, wanted, of] of [
    ['knows of the most', [at('1', '0', { [INDEX_FAILURES]: '2' }), at('2', '0')], ['0: 1']],
    ['also of what the policy passes over', [at('1', '0', { [INDEX_IGNORED_FAILURES]: '2' }), at('2', '0')], ['0: 1']],
    ['ended last, among equals', [at('2', '0'), at('1', '0')], ['0: 2']],
    ['is one of each', [at('1', '0'), at('2', '2')], ['0: 1', '2: 2']],
    ['is none of who runs, went well, or is of no index', [at('1', '0', {}, 'Running'), at('2', '7'), pod({})], []],
    ['may be who is going', [going('1')], ['0: 1']],
    ['not where only failed pods are replaced', [going('1')], [], job({ podReplacementPolicy: 'Failed' })],
  ] as const)
    test(name, () => assert.deepEqual(told(pods, of), wanted));
});

describe('when a pod ended', () => {
  const minute = (n: number): string => `2026-01-01T00:0${n}:00Z`;
  const ended = (name: string, n?: number): ContainerStatus =>
    ({
      name,
      state: n === undefined ? { running: {} } : { terminated: { exitCode: 1, finishedAt: minute(n) } },
    }) as never;
  const notReady = [{ type: 'Ready', status: 'False', lastTransitionTime: minute(4) }];
  const beside = { initContainers: [{ name: 'side', restartPolicy: 'Always' }, { name: 'first' }] };
  for (const [name, spec, status, metadata, wanted] of [
    ['its last container', {}, { containerStatuses: [ended('a', 1), ended('b', 3)] }, {}, 3],
    [
      'the last of those beside them',
      beside,
      { containerStatuses: [ended('a', 1)], initContainerStatuses: [ended('side', 2), ended('first', 9)] },
      {},
      2,
    ],
    [
      'one has not ended: when it was ready no more',
      {},
      { containerStatuses: [ended('a', 1), ended('b')], conditions: notReady },
      {},
      4,
    ],
    [
      'ready to the end: when its deletion was asked for',
      {},
      { conditions: [{ ...notReady[0], status: 'True' }] },
      { deletionTimestamp: minute(6), deletionGracePeriodSeconds: 60 },
      5,
    ],
    ['nothing is known but when it was made', {}, {}, { creationTimestamp: minute(2) }, 2],
  ] as const)
    test(name, () => {
      const one = { metadata: { name: 'p', ...metadata }, spec: { containers: [], ...spec }, status };
      assert.equal(endedAtMs(one as unknown as Pod), Date.parse(minute(wanted)));
    });
});
