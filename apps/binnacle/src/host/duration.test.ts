import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../errors.ts';
import { parseDuration } from './duration.ts';

test('a duration is milliseconds, and what is none is a mistake of whoever asked for it', () => {
  assert.equal(parseDuration('1h0m30s'), 3_630_000);
  assert.throws(
    () => parseDuration('10'),
    (error) => error instanceof UsageError && error.message === 'time: missing unit in duration "10"',
  );
});
