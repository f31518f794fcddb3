import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Job } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { failuresOfIndex, INDEX_FAILURES } from './accounting.ts';

const job = { metadata: { name: 'j' }, spec: { backoffLimitPerIndex: 1, template: {} } } as unknown as Job;
const pod = (annotations: { [name: string]: string }): Pod =>
  ({ metadata: { name: 'p', annotations }, spec: { containers: [] }, status: { phase: 'Failed' } }) as unknown as Pod;

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
  test(`failures of an index, before: ${written ?? 'none'}`, () =>
    assert.equal(failuresOfIndex(job, pod(written === undefined ? {} : { [INDEX_FAILURES]: written })), failures));
