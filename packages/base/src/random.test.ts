import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, jitter, nameSuffix, randomBelow } from './random.ts';

test('the same seed gives the same sequence, another seed another', () => {
  const draw = (seed: number): number[] => {
    const random = createSeededRandom(seed);
    return [random.uint32(), random.uint32(), random.uint32()];
  };
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
});

test('draws below a bound stay below it and reach all of it', () => {
  const random = createSeededRandom(1);
  const seen = new Set(Array.from({ length: 1000 }, () => randomBelow(random, 10)));
  assert.deepEqual(
    [...seen].sort((a, b) => a - b),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});

test('uuid has version 4 and the RFC variant', () => {
  assert.match(createSeededRandom(3).uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('a name suffix uses the alphabet of generated names', () => {
  assert.match(nameSuffix(createSeededRandom(3)), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test('jitter only lengthens', () => {
  const random = createSeededRandom(4);
  for (let i = 0; i < 100; i++) {
    const d = jitter(random, 100, 0.5);
    assert.ok(d >= 100 && d <= 150);
  }
});
