import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CatalogueError } from '@binnacle/base';
import * as errors from './index.ts';

const ROWS: readonly { make: () => CatalogueError; code: string; facts: object }[] = [
  { make: () => new errors.CompactedError(7), code: 'store-compacted', facts: { compactRevision: 7 } },
  {
    make: () => new errors.FutureRevisionError({ asked: 9, revision: 8 }),
    code: 'store-future-revision',
    facts: { asked: 9, revision: 8 },
  },
  { make: () => new errors.LeaseNotFoundError(5), code: 'store-lease-not-found', facts: { lease: 5 } },
  { make: () => new errors.LeaseExistsError(5), code: 'store-lease-exists', facts: { lease: 5 } },
  { make: () => new errors.DuplicateKeyError('k'), code: 'store-duplicate-key', facts: { key: 'k' } },
  { make: () => new errors.StoreClosedError(), code: 'store-closed', facts: {} },
  {
    make: () => new errors.StoreUnavailableError('the disk is full', { outcomeUnknown: true }),
    code: 'store-unavailable',
    facts: { outcomeUnknown: true },
  },
];

for (const { make, code, facts } of ROWS) {
  test(`${code} carries its facts`, () => {
    const error = make();
    assert.ok(error instanceof CatalogueError);
    assert.equal(error.code, code);
    assert.deepEqual(error.facts, facts);
    assert.ok(error.message.length > 0);
  });
}

test('an outcome is known unless said otherwise, and the cause is kept', () => {
  const cause = new errors.StoreClosedError();
  const error = new errors.StoreUnavailableError('why', { cause });
  assert.equal(error.outcomeUnknown, false);
  assert.equal(error.cause, cause);
  assert.match(error.message, /why/);
});
