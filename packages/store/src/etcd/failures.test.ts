import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from '../errors.ts';
import { isSurelyNotSent, toStoreError } from './failures.ts';

const ROWS: readonly { details: string; code: number; reads: boolean; expected: string; unknown?: boolean }[] = [
  {
    details: 'etcdserver: mvcc: required revision has been compacted',
    code: 11,
    reads: true,
    expected: 'store-compacted',
  },
  {
    details: 'etcdserver: mvcc: required revision is a future revision',
    code: 11,
    reads: true,
    expected: 'store-future-revision',
  },
  { details: 'etcdserver: requested lease not found', code: 5, reads: false, expected: 'store-lease-not-found' },
  { details: 'etcdserver: lease already exists', code: 9, reads: false, expected: 'store-lease-exists' },
  {
    details: 'etcdserver: duplicate key given in txn request',
    code: 3,
    reads: false,
    expected: 'store-duplicate-key',
  },
  { details: 'Connection dropped', code: 14, reads: false, expected: 'store-unavailable', unknown: true },
  { details: 'Connection dropped', code: 14, reads: true, expected: 'store-unavailable', unknown: false },
  { details: 'Deadline exceeded', code: 4, reads: false, expected: 'store-timeout', unknown: true },
  { details: 'etcdserver: request timed out', code: 14, reads: true, expected: 'store-timeout', unknown: false },
  {
    details: 'etcdserver: mvcc: database space exceeded',
    code: 8,
    reads: false,
    expected: 'store-full',
    unknown: false,
  },
  {
    details: 'grpc: received message larger than max (2100000 vs. 2097152)',
    code: 8,
    reads: false,
    expected: 'store-request-too-large',
  },
  { details: 'No connection established', code: 14, reads: false, expected: 'store-unavailable', unknown: false },
  { details: 'etcdserver: request is too large', code: 3, reads: false, expected: 'store-request-too-large' },
];

for (const { details, code, reads, expected, unknown } of ROWS) {
  test(`${details} (${reads ? 'read' : 'write'})`, () => {
    const error = toStoreError(Object.assign(new Error(details), { details, code }), { reads });
    assert.equal(error.code, expected);
    if (error instanceof StoreUnavailableError) assert.equal(error.outcomeUnknown, unknown);
  });
}

test('only what found no connection was surely not sent', () => {
  assert.equal(isSurelyNotSent({ code: 14, details: 'No connection established. Last error: …' }), true);
  assert.equal(isSurelyNotSent({ code: 14, details: 'Connection dropped' }), false);
  assert.equal(isSurelyNotSent({ code: 4, details: 'No connection established' }), false);
});
