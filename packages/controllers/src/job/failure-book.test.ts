import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import type { Job, JobSpec } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { LET_GO } from './accounting.ts';
import { FailureBook } from './failure-book.ts';

const job = (uid = 'j', spec: Partial<JobSpec> = {}): Job =>
  ({ metadata: { name: 'j', uid }, spec: { template: { metadata: {}, spec: { containers: [] } }, ...spec } }) as Job;
const time = (second: number): string => new Date(second * 1000).toISOString();
function pod(uid: string, phase: 'Failed' | 'Succeeded', second: number, annotations = {}): Pod {
  const state = { terminated: { exitCode: 0, finishedAt: time(second) } };
  const containerStatuses = [{ name: 'c', state, ready: false, restartCount: 0, image: 'x', imageID: '' }];
  return { metadata: { name: uid, uid, annotations }, spec: { containers: [] }, status: { phase, containerStatuses } };
}
const seconds = (times: readonly number[]): readonly number[] => times.map((at) => at / 1000);

describe('when pods of a job failed', () => {
  test('each counts once, also when it is gone', () => {
    const book = new FailureBook();
    assert.deepEqual(seconds(book.note(job(), [pod('a', 'Failed', 5)])), [5]);
    assert.deepEqual(seconds(book.note(job(), [pod('a', 'Failed', 5), pod('b', 'Failed', 3)])), [3, 5]);
    assert.deepEqual(seconds(book.note(job(), [pod('b', 'Failed', 3)])), [3, 5]);
    assert.deepEqual(seconds(book.note(job(), [])), [3, 5]);
    assert.deepEqual(book.note(job('other'), []), []);
  });

  test('a success ends what was before it', () => {
    const book = new FailureBook();
    book.note(job(), [pod('a', 'Failed', 5), pod('b', 'Failed', 9)]);
    assert.deepEqual(seconds(book.note(job(), [pod('c', 'Succeeded', 7)])), [9]);
    assert.deepEqual(book.note(job(), [pod('d', 'Succeeded', 9)]), [], 'also of the same second');
    assert.deepEqual(book.note(job(), []), []);
  });

  test('no more than a wait can tell apart', () => {
    const many = Array.from({ length: 50 }, (_, n) => pod(`p${n}`, 'Failed', n));
    assert.deepEqual(seconds(new FailureBook().note(job(), many)), [43, 44, 45, 46, 47, 48, 49]);
  });

  test('who was one too many, or of an index beyond, has not failed', () => {
    const indexed = job('j', { completionMode: 'Indexed', completions: 1 });
    const of = (index: number) => ({ 'batch.kubernetes.io/job-completion-index': `${index}` });
    const pods = [pod('a', 'Failed', 1, of(0)), pod('b', 'Failed', 2, of(1)), pod('c', 'Failed', 3)];
    assert.deepEqual(seconds(new FailureBook().note(indexed, pods)), [1]);
    assert.deepEqual(new FailureBook().note(job(), [pod('a', 'Failed', 1, { [LET_GO]: 'true' })]), []);
  });

  test('with limits per index nobody asks; what is forgotten is gone', () => {
    const book = new FailureBook();
    assert.deepEqual(book.note(job('j', { backoffLimitPerIndex: 1 }), [pod('a', 'Failed', 1)]), []);
    book.note(job(), [pod('a', 'Failed', 1)]);
    book.forget(job());
    assert.deepEqual(book.note(job(), []), []);
  });
});
