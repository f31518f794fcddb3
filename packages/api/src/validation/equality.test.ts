import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeDifference, isSemanticallyEqual } from './equality.ts';

describe('semantic equality', () => {
  const rows: [name: string, a: unknown, b: unknown, equal: boolean][] = [
    ['absent and null', { a: null }, {}, true],
    ['absent and empty list', { a: [] }, {}, true],
    ['absent and empty map', {}, { a: {} }, true],
    ['an empty selector is for all', { labelSelector: {} }, {}, false],
    ['in what is not there', { a: [{ b: { namespaceSelector: {} } }] }, { a: [{ b: null }] }, false],
    ['an empty selector and one without a list', { selector: {} }, { selector: { matchExpressions: [] } }, true],
    ['no selector', { selector: null }, {}, true],
    ['absent and zero', { a: 0 }, {}, false],
    ['absent and empty text', { a: '' }, {}, false],
    ['order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['order of items', [1, 2], [2, 1], false],
    ['a list is no map', [1], { 0: 1 }, false],
    ['deep', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, false],
  ];
  for (const [name, a, b, equal] of rows) {
    it(name, () => {
      assert.equal(isSemanticallyEqual(a, b), equal);
      assert.equal(isSemanticallyEqual(b, a), equal);
    });
  }

  it('describes differences', () => {
    const text = describeDifference({ a: 1, l: [{ x: 'y' }], same: 1 }, { b: 2, l: [{ x: 'z' }], same: 1 });
    assert.equal(text, '- a: 1\n- l[0].x: "y"\n+ l[0].x: "z"\n+ b: 2');
    assert.equal(describeDifference([{ labelSelector: {}, x: {} }], [{}]), '- [0].labelSelector: {}');
  });
});
