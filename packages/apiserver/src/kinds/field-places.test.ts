import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldPlace, valueAt, withoutField } from './field-places.ts';

/** What stands at a place of a value, and the value without it; undefined: the value itself. */
const ROWS: readonly (readonly [place: string, value: unknown, at: unknown, without: unknown])[] = [
  ['a', { a: 1, b: 2 }, 1, { b: 2 }],
  ['a', { b: 2 }, undefined, undefined],
  ['a.b', { a: { b: 1, c: 2 } }, 1, { a: { c: 2 } }],
  ['a.b', { a: { b: 1 } }, 1, { a: {} }],
  ['a?.b', { a: { b: 1 }, c: 2 }, 1, { c: 2 }],
  ['a?.b', { a: { b: 1, c: 2 } }, 1, { a: { c: 2 } }],
  ['a?.b', { a: {} }, undefined, undefined],
  ['a.*.b', { a: [{ c: 0 }, { b: 1 }, { b: 2, c: 3 }] }, 1, { a: [{ c: 0 }, {}, { c: 3 }] }],
  ['a.*.b', { a: { x: { b: 1 }, y: { c: 2 } } }, 1, { a: { x: {}, y: { c: 2 } } }],
  ['a.*.b', { a: [{ c: 0 }] }, undefined, undefined],
  ['a.*.b', { a: { x: { c: 0 } } }, undefined, undefined],
  ['a.*.b', { a: [1, null, 'b'] }, undefined, undefined],
  ['a.b', { a: null }, undefined, undefined],
  ['a.b', { a: 'text' }, undefined, undefined],
  ['a.b', 'text', undefined, undefined],
  ['a.b', { a: { b: null } }, undefined, { a: {} }],
];

describe('places of fields', () => {
  for (const [text, value, at, without] of ROWS) {
    it(`${text} in ${JSON.stringify(value)}`, () => {
      const place = fieldPlace(text);
      const copy = structuredClone(value);
      assert.deepEqual(valueAt(value, place), at);
      const left = withoutField(value, place);
      if (without === undefined) assert.equal(left, value);
      else assert.deepEqual(left, without);
      assert.deepEqual(value, copy, 'what is given stays as it was');
    });
  }

  it('share all that stays', () => {
    const value = { a: [{ b: 1 }, { c: { d: 1 } }], e: {} };
    const left = withoutField(value, fieldPlace('a.*.b')) as typeof value;
    assert.equal(left.a[1], value.a[1]);
    assert.equal(left.e, value.e);
  });
});
