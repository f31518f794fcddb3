import { deepFreeze } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { applyMergePatch } from './merge-patch.ts';

// Provenance: the examples of RFC 7396, appendix A.
const APPLIED: [document: unknown, patch: object, result: unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  // Not of the RFC: what upstream's library makes of lists.
  [{}, { a: [{ b: null, c: 1 }, null, [{ d: null }]] }, { a: [{ c: 1 }, null, [{}]] }],
  [{ a: [{ b: 1 }] }, { a: [{ b: null, c: { d: null } }] }, { a: [{ c: {} }] }],
];
for (const [document, patch, result] of APPLIED) {
  test(`${JSON.stringify(document)} + ${JSON.stringify(patch)}`, () => {
    assert.deepEqual(applyMergePatch(deepFreeze(document), patch), result);
  });
}

test('a patch must be an object', () => {
  for (const patch of [null, [], 'x', 1]) assert.throws(() => applyMergePatch({}, patch), { httpCode: 400 });
});

test('applying a patch twice is applying it once', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(json, json, (document, patch) => {
      const once = applyMergePatch(document, patch);
      assert.deepEqual(applyMergePatch(once, patch), once);
    }),
    { seed: 36 },
  );
});
