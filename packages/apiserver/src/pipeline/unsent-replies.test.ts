import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnsentReplies } from './unsent-replies.ts';

const MIB = 1 << 20;
const TOO_MUCH = { httpCode: 429, message: /^Too many bytes in replies/ };

test('a user may have so much, and again what was taken', () => {
  const unsent = new UnsentReplies();
  const release = unsent.hold('jane', 90 * MIB);
  assert.throws(() => unsent.hold('jane', 10 * MIB), TOO_MUCH);
  unsent.hold('joe', 10 * MIB);
  release();
  release();
  assert.equal(unsent.bytes, 10 * MIB);
  unsent.hold('jane', 10 * MIB);
});

test('a single reply may be of any size; nothing more is made meanwhile', () => {
  const unsent = new UnsentReplies();
  const release = unsent.hold('jane', 100 * MIB);
  assert.throws(() => unsent.check('jane', 1), TOO_MUCH);
  unsent.check('joe', 1);
  release();
  unsent.check('jane', 1);
});

test('all users together have a bound too', () => {
  const unsent = new UnsentReplies();
  for (const user of ['a', 'b', 'c', 'd']) unsent.hold(user, 96 * MIB);
  assert.throws(() => unsent.hold('e', 1), TOO_MUCH);
});
