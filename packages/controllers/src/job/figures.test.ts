import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Job, JobSpec, JobStatus } from '@binnacle/api/batch/v1';
import type { Account } from './accounting.ts';
import { creationReason, newlyCounted } from './figures.ts';

const TEMPLATE = { metadata: {}, spec: { containers: [] } };
function job(spec: Partial<JobSpec>, status: JobStatus = {}): Job {
  return { metadata: { name: 'j' }, spec: { template: TEMPLATE, ...spec }, status };
}
const BOOK: Account = {
  ...{ succeeded: 0, failed: 0, completed: [], failedIndexes: [], uncounted: { succeeded: [], failed: [] } },
  ...{ held: 0, release: [], fatal: undefined, judged: [] },
};

for (const [name, spec, book, terminating, wanted] of [
  ['there were none', {}, {}, 0, 'new'],
  ['one failed', {}, { failed: 1 }, 0, 'recreate_terminating_or_failed'],
  [
    'one failed that is not counted yet',
    {},
    { uncounted: { succeeded: [], failed: ['a'] } },
    0,
    'recreate_terminating_or_failed',
  ],
  ['one is going', {}, {}, 1, 'recreate_terminating_or_failed'],
  ['only failed ones are replaced', { podReplacementPolicy: 'Failed' }, { failed: 1 }, 1, 'recreate_failed'],
  [
    'only failed ones are, and one is going',
    { podReplacementPolicy: 'Failed' },
    {},
    1,
    'recreate_terminating_or_failed',
  ],
] as readonly (readonly [string, Partial<JobSpec>, Partial<Account>, number, string])[])
  test(`why pods are made: ${name}`, () =>
    assert.equal(creationReason(job(spec), { ...BOOK, ...book }, terminating), wanted));

const INDEXED = { completionMode: 'Indexed', completions: 4 } as const;
const done = { type: 'Complete', status: 'True', reason: 'CompletionsReached' } as const;
const COUNTS: readonly (readonly [string, Job, JobStatus, ReturnType<typeof newlyCounted>])[] = [
  ['nothing', job({}, { succeeded: 1 }), { succeeded: 1 }, { succeeded: 0, failed: 0, ended: [] }],
  ['pods', job({}, { succeeded: 1 }), { succeeded: 3, failed: 1 }, { succeeded: 2, failed: 1, ended: [] }],
  [
    'indexes',
    job(INDEXED, { completedIndexes: '0', succeeded: 1 }),
    { completedIndexes: '0-2', succeeded: 3 },
    { succeeded: 2, failed: 0, ended: [] },
  ],
  ['indexes beyond the end', job(INDEXED), { completedIndexes: '3-7' }, { succeeded: 1, failed: 0, ended: [] }],
  [
    'the end',
    job({}),
    { conditions: [done] },
    { succeeded: 0, failed: 0, ended: [{ result: 'succeeded', reason: 'CompletionsReached' }] },
  ],
  [
    'an end that was told',
    job({}, { conditions: [done] }),
    { conditions: [done] },
    { succeeded: 0, failed: 0, ended: [] },
  ],
  [
    'a failure',
    job({}),
    { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] },
    { succeeded: 0, failed: 0, ended: [{ result: 'failed', reason: 'DeadlineExceeded' }] },
  ],
];
for (const [name, one, after, wanted] of COUNTS)
  test(`what a status counts anew: ${name}`, () => assert.deepEqual(newlyCounted(one, after), wanted));
