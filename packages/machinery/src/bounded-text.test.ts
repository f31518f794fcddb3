import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedText } from './bounded-text.ts';
import * as field from './validation/field.ts';
import { badRequest, invalid } from './status-error.ts';

test('short texts are left alone, long ones keep their ends', () => {
  assert.equal(boundedText('abc', 3), 'abc');
  assert.equal(boundedText('abcdefghij', 8), 'abcdef…(2 characters)…ij');
});

test('what a client sent is told again in part', () => {
  const huge = 'x"'.repeat(1_000_000);
  const one = field.invalid('spec', huge, 'must be short');
  assert.ok(one.body().length < 20_000 && one.body().endsWith('must be short'));
  const reply = JSON.stringify(invalid({ group: '', kind: 'Pod' }, 'p', [one]).status);
  assert.ok(reply.length < 60_000, `${reply.length} bytes`);
  assert.ok(badRequest(`${huge} is wrong`).message.length < 70_000);
});
