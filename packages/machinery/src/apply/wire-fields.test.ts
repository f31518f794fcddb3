import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { differenceOf, isEmptySet, readFieldSet, sameFields, unionOf, withoutBranches } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { knownWireSets, readWireFields, writeWireFields } from './wire-fields.ts';

const element = fc.constantFrom('f:a', 'f:b', 'f:constructor', 'f:__proto__', 'k:{"name":"a"}', 'v:1');
const { wire } = fc.letrec<{ wire: FieldSet }>((tie) => ({
  wire: fc
    .tuple(
      fc.boolean(),
      fc.array(fc.tuple(element, fc.oneof({ maxDepth: 4 }, fc.constant({}), tie('wire'))), { maxLength: 4 }),
    )
    .map(([isPart, members]) => Object.fromEntries([...(isPart ? [['.', {}] as const] : []), ...members])),
}));

test('there and back, in order, and the same thing for the same fields', () => {
  fc.assert(
    fc.property(wire, (given) => {
      const set = readFieldSet(given);
      const written = writeWireFields(set);
      assert.ok(sameFields(readFieldSet(written), set));
      assert.equal(writeWireFields(readFieldSet(given)), written);
      assert.equal(writeWireFields(readWireFields(written)), written);
      assert.equal(readWireFields(written), readWireFields(written));
      assert.deepEqual(Object.keys(written), Object.keys(written).toSorted());
    }),
    { seed: 5, numRuns: 500 },
  );
});

test('what others wrote is read anew each time: they may write into it', () => {
  const own: { [element: string]: FieldSet } = { 'f:a': {} };
  assert.deepEqual(Object.keys(readWireFields(own)), ['f:a']);
  own['f:b'] = {};
  assert.deepEqual(Object.keys(readWireFields(own)), ['f:a', 'f:b']);
});

test('a set that is sent back is read once, whoever holds it', () => {
  fc.assert(
    fc.property(wire, (given) => {
      const read = readWireFields(structuredClone(given));
      assert.ok(sameFields(read, readFieldSet(given)));
      assert.equal(readWireFields(structuredClone(given)), read);
    }),
    { seed: 7, numRuns: 500 },
  );
});

test('what is no set is refused, and a large one is not kept', () => {
  for (const wrong of [
    { 'f:a': 1 },
    { 'f:a': [] },
    { 'f:a': null },
    { a: {} },
    { 'f:a': { 'k:{"': {} } },
    { 'k:{"': {} },
  ]) {
    assert.throws(() => readWireFields(wrong), /fields must be an object|unknown path element/, JSON.stringify(wrong));
  }
  const large = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f:x${n}`, {}]));
  const before = knownWireSets.bytes;
  const deep = { 'f:a': { 'f:b': large } };
  assert.ok(sameFields(readWireFields(deep), readFieldSet(deep)));
  assert.ok(knownWireSets.bytes - before < 300_000);
});

test('sets of which nothing goes, and to which nothing comes, are the same sets', () => {
  fc.assert(
    fc.property(wire, wire, (one, other) => {
      const [a, b] = [readFieldSet(one), readFieldSet(other)];
      assert.ok(isEmptySet(differenceOf(a, a)));
      assert.ok(isEmptySet(differenceOf(differenceOf(a, b), a)));
      assert.ok(sameFields(unionOf(unionOf(a, b), b), unionOf(a, b)));
      const both = unionOf(a, b);
      if (!isEmptySet(both)) assert.equal(unionOf(both, b), both);
      const alone = differenceOf(a, b);
      assert.ok(sameFields(unionOf(alone, b), unionOf(a, b)));
      assert.equal(differenceOf(alone, { 'f:z': {} }), alone);
      assert.equal(withoutBranches(a, { 'f:z': {} }), a);
    }),
    { seed: 6, numRuns: 500 },
  );
});
