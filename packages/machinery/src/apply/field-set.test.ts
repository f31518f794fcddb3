import assert from 'node:assert/strict';
import test from 'node:test';
import {
  differenceFromLarge,
  differenceOf,
  elementText,
  FieldSetDraft,
  intersectionOf,
  isEmptySet,
  pathsOf,
  readFieldSet,
  sameFields,
  unionOf,
  unionOfAll,
  withNamedParents,
  withoutBranches,
} from './field-set.ts';
import { DecodeError } from '../errors.ts';
import { writeWireFields } from './wire-fields.ts';

const A = readFieldSet({ 'f:a': { '.': {}, 'f:b': {} }, 'f:c': { 'k:{"name":"x"}': { 'f:d': {} } } });
const B = readFieldSet({ 'f:a': { 'f:b': {}, 'f:e': {} }, 'f:c': { 'k:{"name":"x"}': { '.': {} } } });

const ROWS: readonly [name: string, got: object, wanted: object][] = [
  ['there and back', A, { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': { 'k:{"name":"x"}': { 'f:d': {} } } }],
  [
    'union',
    unionOf(A, B),
    { 'f:a': { '.': {}, 'f:b': {}, 'f:e': {} }, 'f:c': { 'k:{"name":"x"}': { '.': {}, 'f:d': {} } } },
  ],
  [
    'difference: a place may go and leave what is below it',
    differenceOf(A, B),
    { 'f:a': {}, 'f:c': { 'k:{"name":"x"}': { 'f:d': {} } } },
  ],
  ['difference from a large one', differenceFromLarge(A, B), writeWireFields(differenceOf(A, B))],
  [
    'difference from a large one that has nothing of it',
    differenceFromLarge(A, readFieldSet({ 'f:z': {} })),
    writeWireFields(A),
  ],
  ['union of none', unionOfAll([]), {}],
  ['union of two', unionOfAll([A, B]), writeWireFields(unionOf(A, B))],
  ['union of many', unionOfAll([B, readFieldSet({ 'f:z': {} }), A]), { ...writeWireFields(unionOf(A, B)), 'f:z': {} }],
  ['difference the other way', differenceOf(B, A), { 'f:a': { 'f:e': {} }, 'f:c': { 'k:{"name":"x"}': {} } }],
  ['intersection', intersectionOf(A, B), { 'f:a': { 'f:b': {} } }],
  ['without branches', withoutBranches(A, readFieldSet({ 'f:a': {} })), { 'f:c': { 'k:{"name":"x"}': { 'f:d': {} } } }],
  [
    'named parents, not items',
    withNamedParents(B),
    { 'f:a': { '.': {}, 'f:b': {}, 'f:e': {} }, 'f:c': { '.': {}, 'k:{"name":"x"}': {} } },
  ],
];
for (const [name, got, wanted] of ROWS) {
  test(name, () => assert.deepEqual(writeWireFields(got as typeof A), wanted));
}

test('paths as messages name them', () => {
  const set = readFieldSet({
    'f:a': { '.': {}, 'k:{"name":"x","port":80}': { 'f:b': {} } },
    'f:s': { 'v:"x"': {}, 'i:0': {} },
  });
  assert.deepEqual(pathsOf(set), ['.a', '.a[name="x",port=80].b', '.s[0]', '.s[="x"]']);
});

test('what is at a place is named before what is below it', () => {
  const set = readFieldSet({
    'f:a': { 'f:x': { 'f:y': {} }, 'f:z': {} },
    'f:b': {},
    'k:{"n":1}': { '.': {}, 'f:c': {} },
  });
  assert.deepEqual(pathsOf(set), ['.b', '[n=1]', '.a.z', '.a.x.y', '[n=1].c']);
});

test('a set is what it holds, not how it was made', () => {
  const draft = new FieldSetDraft();
  for (const path of [[], ['f:a', 'f:b'], ['f:c', 'k:{"name":"x"}', 'f:d'], ['f:a']]) draft.add(path);
  assert.ok(sameFields(draft.set, A));
  assert.ok(!sameFields(A, B));
  assert.ok(isEmptySet(differenceOf(A, A)));
});

test('what is no set is refused', () => {
  const deep: { [element: string]: object } = {};
  let at = deep;
  for (let i = 0; i < 1100; i++) at = at['f:a'] = {} as typeof deep;
  for (const bad of [null, [], 'x', { a: {} }, { 'k:{': {} }, { 'f:a': null }, { __proto__x: {} }, deep]) {
    assert.throws(() => readFieldSet(bad), { code: 'decode' });
  }
  assert.deepEqual(writeWireFields(readFieldSet({ 'f:__proto__': {}, 'f:constructor': {} })), {
    'f:__proto__': {},
    'f:constructor': {},
  });
});

for (const [name, element, text] of [
  ['a field', 'f:spec', '.spec'],
  ['a field with dots and quotes in its name', 'f:a.b/"c"', '.a.b/"c"'],
  ['a field called as one of the other sorts', 'f:k:{}', '.k:{}'],
  ['a field called __proto__', 'f:__proto__', '.__proto__'],
  ['a field without a name', 'f:', '.'],
  ['an item by its place', 'i:12', '[12]'],
  ['an item of a set', 'v:"a\\"b"', '[="a\\"b"]'],
  ['a number of a set', 'v:1.5', '[=1.5]'],
  ['an item by its key', 'k:{"name":"a"}', '[name="a"]'],
  ['by several keys of all sorts', 'k:{"b":true,"n":null,"port":80}', '[b=true,n=null,port=80]'],
  ['by no keys', 'k:{}', '[]'],
] as const)
  test(`an element as messages show it: ${name}`, () => assert.equal(elementText(element), text));

for (const [name, element] of [
  ['no sort', 'x'],
  ['an unknown sort', 'z:1'],
  ['nothing', ''],
  ['a place that is no number', 'i:1x'],
  ['a place that is none', 'i:'],
  ['a value that is no JSON', 'v:x'],
  ['no value', 'v:'],
  ['keys that are no JSON', 'k:{name}'],
  ['keys that are no object', 'k:["a"]'],
] as const)
  test(`no element: ${name}`, () => {
    const message = `unknown path element ${JSON.stringify(element)}`;
    assert.throws(() => readFieldSet({ [element]: {} }), new DecodeError(message));
  });
