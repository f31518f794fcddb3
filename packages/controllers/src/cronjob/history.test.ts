import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { CronJob, Job } from '@binnacle/api/batch/v1';
import { endOf, followJobs, surplusJobs } from './history.ts';

const job = (name: string, end?: 'Complete' | 'Failed', minute = 0): Job => ({
  metadata: { name, uid: name },
  spec: { template: { metadata: {}, spec: { containers: [] } } },
  status: {
    startTime: `2026-01-01T00:${10 + minute}:00Z`,
    ...(end === undefined ? {} : { conditions: [{ type: end, status: 'True' }] }),
    ...(end === 'Complete' ? { completionTime: `2026-01-01T01:${10 + minute}:00Z` } : {}),
  },
});
const reference = (name: string) => ({ kind: 'Job', name, uid: name });

test('follows what is active, what ended, what is missing and what nobody knew', () => {
  const active = ['runs', 'done', 'gone'].map(reference);
  const { status, notes } = followJobs({ active }, [job('runs'), job('done', 'Complete', 7), job('stranger')]);
  assert.deepEqual(status, { active: [reference('runs')], lastSuccessfulTime: '2026-01-01T01:17:00Z' });
  assert.deepEqual(notes, [
    { kind: 'completed', name: 'done', condition: 'Complete' },
    { kind: 'missing', name: 'gone' },
    { kind: 'unexpected', name: 'stranger' },
  ]);
});

test('keeps the newest of each end', () => {
  const spec = { schedule: '* * * * *', jobTemplate: { metadata: {}, spec: job('x').spec } };
  const cronJob: CronJob = {
    metadata: {},
    spec: { ...spec, successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 },
  };
  const jobs = [job('a', 'Complete', 5), job('b', 'Complete', 3), job('c', 'Failed', 1), job('d')];
  const names = (of: CronJob) => surplusJobs(of, jobs).map((one) => one.metadata.name);
  assert.deepEqual(names(cronJob), ['b', 'c']);
  assert.deepEqual(names({ metadata: {}, spec }), [], 'no limits');
});

for (const [name, conditions, expected] of [
  ['nothing is told', undefined, undefined],
  ['suspended', [['Suspended', 'True']], undefined],
  ['complete', [['Complete', 'True']], 'Complete'],
  ['failed', [['Failed', 'True']], 'Failed'],
  ['not complete', [['Complete', 'False']], undefined],
  ['nobody knows', [['Failed', 'Unknown']], undefined],
  ['about to fail, its pods still go', [['FailureTarget', 'True']], undefined],
  ['about to succeed', [['SuccessCriteriaMet', 'True']], undefined],
  [
    'of two the first counts',
    [
      ['Failed', 'True'],
      ['Complete', 'True'],
    ],
    'Failed',
  ],
] as const)
  test(`how a job ended: ${name}`, () => {
    const status =
      conditions === undefined ? {} : { conditions: conditions.map(([type, status]) => ({ type, status })) };
    assert.equal(endOf({ ...job('j'), status }), expected);
  });
