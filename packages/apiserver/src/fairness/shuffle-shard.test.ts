import assert from 'node:assert/strict';
import test from 'node:test';
import { dealHand, hashFlow } from './shuffle-shard.ts';

test('a hand has as many different queues as asked for, and is the same every time', () => {
  for (let flow = 0; flow < 500; flow++) {
    const hash = hashFlow('global-default', `user-${flow}`);
    const hand = dealHand(hash, 128, 6);
    assert.equal(new Set(hand).size, 6);
    assert.ok(hand.every((queue) => queue >= 0 && queue < 128));
    assert.deepEqual(dealHand(hashFlow('global-default', `user-${flow}`), 128, 6), hand);
  }
});

test('a hand as large as the deck is the whole deck', () => {
  assert.deepEqual(
    [...dealHand(hashFlow('a', 'b'), 4, 8)].sort((a, b) => a - b),
    [0, 1, 2, 3],
  );
});

test('queues are dealt evenly', () => {
  const times = Array.from({ length: 64 }, () => 0);
  const flows = 6400;
  for (let flow = 0; flow < flows; flow++) {
    for (const queue of dealHand(hashFlow('s', `u${flow}`), 64, 6)) times[queue] = (times[queue] ?? 0) + 1;
  }
  const mean = (flows * 6) / 64;
  for (const count of times) assert.ok(Math.abs(count - mean) < mean * 0.2, `${count} instead of about ${mean}`);
});

test('two flows seldom share all their queues', () => {
  const noisy = new Set(Array.from({ length: 10 }, (_, n) => dealHand(hashFlow('s', `noisy-${n}`), 128, 6)).flat());
  let lost = 0;
  for (let n = 0; n < 2000; n++)
    if (dealHand(hashFlow('s', `quiet-${n}`), 128, 6).every((queue) => noisy.has(queue))) lost++;
  // With ten heavy flows: about one in two hundred (KEP 1040's table).
  assert.ok(lost < 30, `${lost} of 2000 quiet flows have no queue of their own`);
});

test('the parts of a flow do not run together', () => {
  assert.notDeepEqual(hashFlow('ab', 'c'), hashFlow('a', 'bc'));
});
