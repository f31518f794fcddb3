import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deepFreeze } from './freeze.ts';

describe('what is frozen', () => {
  test('an object and everything in it, and it is the same', () => {
    const object = { a: { b: [{ c: 1 }, 'x', null] }, d: undefined };
    assert.equal(deepFreeze(object), object);
    for (const part of [object, object.a, object.a.b, object.a.b[0]]) assert.ok(Object.isFrozen(part));
    assert.throws(() => (object.a.b as unknown[]).push(1), TypeError);
  });
  for (const value of [undefined, null, 7, 'text', true, 1n]) {
    test(`${String(value)} is let be`, () => assert.equal(deepFreeze(value), value));
  }
  test('bytes are let be, as nobody can freeze them', () => {
    const object = deepFreeze({ bytes: Uint8Array.of(1, 2) });
    object.bytes[0] = 9;
    assert.deepEqual([object.bytes[0], Object.isFrozen(object)], [9, true]);
  });
  test('what leads back to itself ends', () => {
    const object: { self?: object; list: object[] } = { list: [] };
    object.self = object;
    object.list.push(object);
    assert.ok(Object.isFrozen(deepFreeze(object).list));
  });
  test('members that clients name', () => {
    const object = JSON.parse('{"__proto__":{"x":{}},"constructor":{"y":{}}}') as { constructor: { y: object } };
    deepFreeze(object);
    const own = Object.getOwnPropertyDescriptor(object, '__proto__')?.value as { x: object };
    assert.deepEqual(
      [Object.isFrozen(own.x), Object.isFrozen(object.constructor.y), Object.isFrozen(Object.prototype)],
      [true, true, false],
    );
  });
});
