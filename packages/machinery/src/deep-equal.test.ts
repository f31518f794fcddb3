import assert from 'node:assert/strict';
import test from 'node:test';
import { deepEqual } from './deep-equal.ts';
import { controllerOf, isControlledBy, isOwnedBy } from './owner-reference.ts';

const CASES: [unknown, unknown, boolean][] = [
  [1, 1, true],
  [1, '1', false],
  [null, undefined, false],
  [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, true],
  [{ a: undefined }, {}, true],
  [{ a: null }, {}, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: undefined, b: 1 }, { b: 1, c: undefined }, true],
  [{ a: undefined, b: 1 }, { b: 1, c: 2 }, false],
  [{ constructor: 1 }, {}, false],
  [JSON.parse('{"__proto__":{}}'), {}, false],
  [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}'), true],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [{}, [], false],
];
for (const [a, b, equal] of CASES) {
  test(`${JSON.stringify(a)} ${equal ? 'equals' : 'differs from'} ${JSON.stringify(b)}`, () => {
    assert.equal(deepEqual(a, b), equal);
    assert.equal(deepEqual(b, a), equal);
  });
}

test('owner references', () => {
  const owner = { metadata: { uid: 'u' } };
  const base = { apiVersion: 'v1', kind: 'X', name: 'x' };
  const object = {
    metadata: {
      ownerReferences: [
        { ...base, uid: 'v', controller: true },
        { ...base, uid: 'u' },
      ],
    },
  };
  assert.equal(controllerOf(object)?.uid, 'v');
  assert.equal(isControlledBy(object, owner), false);
  assert.equal(isOwnedBy(object, owner), true);
  assert.equal(controllerOf({ metadata: {} }), undefined);
});
