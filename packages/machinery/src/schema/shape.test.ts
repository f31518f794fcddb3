import assert from 'node:assert/strict';
import test from 'node:test';
import { createShape, ShapeCache } from './shape.ts';

test('a shape makes empty plain objects', () => {
  const shape = createShape();
  const object = new shape();
  assert.deepEqual(object, {});
  assert.equal(Object.getPrototypeOf(object), Object.prototype);
  assert.equal(object.constructor, Object);
});

test('a cache goes on when it is full', () => {
  const cache = new ShapeCache();
  for (let i = 0; i < 500; i++) assert.deepEqual(cache.create(i, i), {});
});
