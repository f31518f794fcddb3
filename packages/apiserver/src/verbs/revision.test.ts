import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { status, StatusError } from '@binnacle/machinery';
import { parseRevision } from './revision.ts';

describe('revisions as clients write them', () => {
  const rows: readonly (readonly [text: string, wanted: number])[] = [
    ['0', 0],
    ['7', 7],
    ['007', 7],
    [`${'0'.repeat(40)}7`, 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['18446744073709551615', Number.MAX_SAFE_INTEGER],
  ];
  for (const [text, wanted] of rows) test(text, () => assert.equal(parseRevision(text), wanted));
});

describe('what is no revision', () => {
  const rows: readonly (readonly [text: string, why: string])[] = [
    ['', 'invalid syntax'],
    ['abc', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['+1', 'invalid syntax'],
    ['1.5', 'invalid syntax'],
    ['0x7', 'invalid syntax'],
    ['1_000', 'invalid syntax'],
    ['18446744073709551616', 'value out of range'],
    ['9'.repeat(21), 'value out of range'],
    [`${'9'.repeat(21)}x`, 'value out of range'],
  ];
  for (const [text, why] of rows) {
    test(JSON.stringify(text), () => {
      const words = `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${why}`;
      const isRefused = (error: unknown): boolean =>
        error instanceof StatusError && error.message === words && error.status.reason === undefined;
      assert.throws(() => parseRevision(text), isRefused);
    });
  }

  test('whoever asks says what it is answered with', () => {
    assert.throws(
      () => parseRevision('x', status.badRequest),
      (error) => error instanceof StatusError && error.httpCode === 400,
    );
  });
});
