import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswersAtHand } from './answers-at-hand.ts';

const message = (id: number, ...rest: readonly number[]): Uint8Array => Uint8Array.from([id >> 8, id & 255, ...rest]);

test('the same question with another id has the same answer with that id', () => {
  const known = new AnswersAtHand();
  assert.equal(known.find(message(1, 7, 8), 0), undefined);
  known.keep(message(1, 7, 8), message(1, 9, 9, 9), Number.POSITIVE_INFINITY);
  assert.deepEqual(known.find(message(0x1234, 7, 8), 0), message(0x1234, 9, 9, 9));
  for (const other of [message(1, 7), message(1, 7, 9), message(1, 7, 8, 0), message(1)])
    assert.equal(known.find(other, 0), undefined);
});

test('what the caller does with an answer, or with the question, is not seen by the next one', () => {
  const known = new AnswersAtHand();
  const [question, answer] = [message(1, 7), message(1, 9)];
  known.keep(question, answer, Number.POSITIVE_INFINITY);
  question.fill(0);
  answer.fill(0);
  const first = known.find(message(2, 7), 0);
  const second = known.find(message(3, 7), 0);
  assert.deepEqual([first, second], [message(2, 9), message(3, 9)]);
  first?.fill(0);
  assert.deepEqual([second, known.find(message(4, 7), 0)], [message(3, 9), message(4, 9)]);
});

test('an answer is good until its time, or until all is forgotten', () => {
  const known = new AnswersAtHand();
  known.keep(message(1, 7), message(1, 9), 1000);
  assert.deepEqual(known.find(message(1, 7), 999), message(1, 9));
  assert.equal(known.find(message(1, 7), 1000), undefined);
  known.clear();
  assert.equal(known.find(message(1, 7), 0), undefined);
  known.keep(message(1, 7), message(1, 8), 1000);
  assert.deepEqual(known.find(message(1, 7), 0), message(1, 8));
});

test('a hundred thousand questions: each has its own answer or none, and most of some thousands have theirs', () => {
  const known = new AnswersAtHand();
  const question = (at: number): Uint8Array => message(1, at >> 16, (at >> 8) & 255, at & 255);
  for (let at = 0; at < 100_000; at++) known.keep(question(at), question(at), Number.POSITIVE_INFINITY);
  for (let at = 0; at < 100_000; at++) {
    const found = known.find(question(at), 0);
    if (found !== undefined) assert.deepEqual(found, question(at));
  }
  known.clear();
  for (let at = 0; at < 1000; at++) known.keep(question(at), question(at), Number.POSITIVE_INFINITY);
  let found = 0;
  for (let at = 0; at < 1000; at++) if (known.find(question(at), 0) !== undefined) found++;
  assert.ok(found > 900, `${found} of 1000`);
});

test('a question that is too long is not kept, nor is an answer', () => {
  const known = new AnswersAtHand();
  known.keep(message(1, 7), new Uint8Array(513), Number.POSITIVE_INFINITY);
  assert.equal(known.find(message(1, 7), 0), undefined);
  const long = new Uint8Array(321).fill(5);
  known.keep(long, message(1, 9), Number.POSITIVE_INFINITY);
  assert.equal(known.find(long, 0), undefined);
});
