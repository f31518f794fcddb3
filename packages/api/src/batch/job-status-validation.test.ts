import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOf, objectOf, texts } from '../testing/kind-table.ts';
import { validateStatusUpdate } from '../validate.ts';
import { INDEXED, JOB, jobWith } from '../testing/job-table.ts';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T00:01:00Z';
const conditions = (...types: string[]): object => ({ conditions: types.map((type) => ({ type, status: 'True' })) });
const DONE = { ...conditions('SuccessCriteriaMet', 'Complete'), startTime: EARLY, completionTime: LATE };

// Provenance: upstream pkg/apis/batch/validation/validation.go, ValidateJobStatusUpdate and validateJobStatus.
describe('validation of the status of jobs', () => {
  const rows: [name: string, before: object, after: object, ...errors: string[]][] = [
    ['running', {}, { active: 2, ready: 1, startTime: EARLY }],
    ['complete', { startTime: EARLY, active: 1 }, DONE],
    [
      'more ready than active',
      {},
      { active: 1, ready: 2 },
      'status.ready: Invalid value: 2: cannot set more ready pods than active',
    ],
    [
      'complete without criteria, times',
      {},
      conditions('Complete'),
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.startTime: Required value: startTime is required for finished job',
    ],
    [
      'failed out of the blue, with pods',
      {},
      { ...conditions('Failed'), startTime: EARLY, active: 1, terminating: 1 },
      'status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition',
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
      'status.terminating: Invalid value: 1: terminating>0 is invalid for finished job',
    ],
    [
      'complete no more',
      DONE,
      { startTime: EARLY },
      'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
      'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
    ],
    [
      'going backwards',
      { failed: 2, succeeded: 2, startTime: EARLY },
      { failed: 1, succeeded: 1, startTime: LATE },
      'status.failed: Invalid value: 1: cannot decrease the failed counter',
      'status.succeeded: Invalid value: 1: cannot decrease the succeeded counter',
      'status.startTime: Required value: startTime cannot be removed for unsuspended job',
    ],
    [
      'ended before it began',
      {},
      { ...DONE, startTime: LATE, completionTime: EARLY },
      'status.completionTime: Invalid value: "2026-01-01T00:00:00Z": completionTime cannot be set before startTime',
    ],
    [
      'pods twice',
      {},
      { uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a'] } },
      'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ],
  ];
  for (const [name, before, after, ...errors] of rows) {
    it(name, () => {
      const old = objectOf(JOB, { ...jobWith({}), status: before });
      const job = objectOf(JOB, { ...jobWith({}), status: after });
      assert.deepEqual(texts(validateStatusUpdate(kindOf(JOB), job, old)), errors);
    });
  }

  it('knows which indexes there are', () => {
    const spec = jobWith({ ...INDEXED, backoffLimitPerIndex: 1 });
    const job = objectOf(JOB, { ...spec, status: { completedIndexes: '0-1', failedIndexes: '1,9' } });
    assert.deepEqual(texts(validateStatusUpdate(kindOf(JOB), job, objectOf(JOB, spec))), [
      'status.failedIndexes: Invalid value: "1,9": error parsing failedIndexes: too large index: "9"',
    ]);
    const both = objectOf(JOB, { ...spec, status: { completedIndexes: '0-1', failedIndexes: '1' } });
    assert.deepEqual(texts(validateStatusUpdate(kindOf(JOB), both, objectOf(JOB, spec))), [
      'status.failedIndexes: Invalid value: "1": failedIndexes and completedIndexes overlap at index: 1',
    ]);
  });

  const elastic = (completions: number, parallelism: number, status: object) =>
    objectOf(JOB, { ...jobWith({ completionMode: 'Indexed', completions, parallelism }), status });

  it('lets a job that lost indexes lose their successes', () => {
    const before = { succeeded: 3, completedIndexes: '0,3,4' };
    const after = { succeeded: 1, completedIndexes: '0' };
    const validate = (parallelism: number): unknown =>
      texts(validateStatusUpdate(kindOf(JOB), elastic(2, parallelism, after), elastic(2, parallelism, before)));
    assert.deepEqual(validate(2), []);
    assert.deepEqual(validate(1), ['status.succeeded: Invalid value: 1: cannot decrease the succeeded counter']);
  });

  it('judges no indexes anew that stay as they were', () => {
    const status = { completedIndexes: '0,3,4' };
    const validate = (after: object): unknown =>
      texts(validateStatusUpdate(kindOf(JOB), elastic(2, 2, after), elastic(2, 2, status)));
    assert.deepEqual(validate({ ...status, active: 1 }), []);
    assert.deepEqual(validate({ completedIndexes: '0,3' }), [
      'status.completedIndexes: Invalid value: "0,3": error parsing completedIndexes: too large index: "3"',
    ]);
  });

  it('lets a suspended job without work finish that never began', () => {
    const job = objectOf(JOB, {
      ...jobWith({ suspend: true, completions: 0 }),
      status: { ...DONE, startTime: undefined },
    });
    assert.deepEqual(texts(validateStatusUpdate(kindOf(JOB), job, objectOf(JOB, jobWith({})))), []);
  });
});
