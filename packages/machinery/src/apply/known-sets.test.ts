import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { NO_FIELDS } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { KnownSets, setAt } from './known-sets.ts';

type Members = readonly (readonly [element: string, fields: FieldSet])[];

function setOf(known: KnownSets, members: Members, isPart = false): FieldSet {
  let step = isPart ? known.part : known.whole;
  for (const [element, fields] of members) step = known.with(step, element, fields);
  return setAt(step);
}

test('the same members are the same set', () => {
  const known = new KnownSets(1 << 20);
  const inner = setOf(known, [['f:x', NO_FIELDS]], true);
  const make = (): FieldSet =>
    setOf(known, [
      ['f:b', inner],
      ['f:a', NO_FIELDS],
    ]);
  const first = make();
  assert.equal(JSON.stringify(first), '{"f:a":{},"f:b":{".":{},"f:x":{}}}');
  assert.equal(make(), first);
  assert.ok(Object.isFrozen(first));
});

test('another branch with the same elements is another set', () => {
  const known = new KnownSets(1 << 20);
  const inner = setOf(known, [['f:x', NO_FIELDS]]);
  const [leaf, branch] = [setOf(known, [['f:a', NO_FIELDS]]), setOf(known, [['f:a', inner]])];
  assert.notEqual(leaf, branch);
  assert.equal(setOf(known, [['f:a', NO_FIELDS]]), leaf);
  assert.equal(setOf(known, [['f:a', inner]]), branch);
});

const element = fc.oneof(
  fc.constantFrom('f:constructor', 'f:__proto__', 'f:a', 'v:1', 'i:0', 'k:{"name":"a"}'),
  fc.string({ unit: 'binary' }).map((name) => `f:${name}`),
);

test('a set has its elements in order, the last of each, however much is forgotten', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(element, { maxLength: 12 }), { maxLength: 8 }),
      fc.integer({ min: 0, max: 9000 }),
      (sets, bytesMax) => {
        const known = new KnownSets(bytesMax);
        for (const elements of [...sets, ...sets]) {
          const members = elements.map((name, i) => [name, i % 2 === 0 ? NO_FIELDS : { 'f:x': NO_FIELDS }] as const);
          const wanted = [...new Map(members)].sort(([a], [b]) => (a < b ? -1 : 1));
          assert.deepEqual(Object.entries(setOf(known, members)), wanted);
          assert.deepEqual(Object.entries(setOf(known, members, true)), [['.', NO_FIELDS], ...wanted]);
        }
      },
    ),
    { seed: 11, numRuns: 300 },
  );
});

test('what it knows is bounded: by its weight, in its names, in the members of a set', () => {
  const known = new KnownSets(10_000);
  for (let n = 0; n < 1000; n++) {
    setOf(known, [[`f:${n}`, NO_FIELDS]]);
    assert.ok(known.bytes <= 10_000);
  }
  const fresh = new KnownSets(1 << 20);
  const long = [[`f:${'x'.repeat(300)}`, NO_FIELDS]] as const;
  assert.deepEqual(setOf(fresh, long), setOf(fresh, long));
  assert.equal(fresh.bytes, 0);
  const many = Array.from({ length: 5000 }, (_, n) => [`f:${n}`, NO_FIELDS] as const);
  assert.equal(Object.keys(setOf(fresh, many)).length, 5000);
  assert.ok(fresh.bytes < 200_000);
});
