import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { deepEqual } from '../deep-equal.ts';
import { isAbsent } from '../schema/member.ts';
import { compareValues } from './compare.ts';
import type { Comparison } from './compare.ts';
import { fieldsListed } from './configuration.ts';
import { writeWireFields } from './wire-fields.ts';
import { mergeValues, removeFields } from './merge.ts';
import { FieldSetDraft, readFieldSet } from './field-set.ts';
import type { Shape } from './shape.ts';
import { isEmptyValue, isTakenApart, keyElement, partsOf } from './value.ts';

const LEAF: Shape = { kind: 'leaf' };
const record = (members: { readonly [name: string]: Shape }): Shape => ({
  kind: 'record',
  member: (name) => (Object.hasOwn(members, name) ? members[name] : undefined),
  isField: (name) => Object.hasOwn(members, name),
  element: (name) => `f:${name}`,
  field: () => undefined,
});
const MAP: Shape = {
  kind: 'record',
  member: () => LEAF,
  isField: () => false,
  element: (name) => `f:${name}`,
  field: () => undefined,
};
const ITEMS = {
  kind: 'keyed',
  keys: ['name', 'port'],
  defaults: { port: 1 },
  item: record({ name: LEAF, port: LEAF, value: LEAF }),
} as const;
const SHAPE = record({
  text: LEAF,
  labels: MAP,
  set: { kind: 'set', item: LEAF },
  items: ITEMS,
  any: { kind: 'open' },
});

const CHANGES: readonly [
  name: string,
  before: object,
  after: object,
  added: object,
  modified: object,
  removed: object,
][] = [
  ['nothing', { text: 'a', labels: {} }, { text: 'a', labels: {} }, {}, {}, {}],
  ['a null comes', {}, { text: null, labels: null }, { 'f:text': {}, 'f:labels': {} }, {}, {}],
  ['a null goes', { text: null }, {}, {}, {}, { 'f:text': {} }],
  // Provenance: the field manager of apimachinery v0.36.2, asked with the rules of a ClusterRole and a policy's ingress.
  [
    'an empty list in the place of a null',
    { text: null, items: null },
    { text: [], items: [] },
    {},
    { 'f:text': {}, 'f:items': {} },
    {},
  ],
  [
    'a null in the place of an empty list',
    { items: [], labels: {} },
    { items: null, labels: null },
    {},
    { 'f:items': {}, 'f:labels': {} },
    {},
  ],
  ['a leaf comes', {}, { text: 'a' }, { 'f:text': {} }, {}, {}],
  ['a leaf changes', { text: 'b' }, { text: 'a' }, {}, { 'f:text': {} }, {}],
  ['a leaf goes', { text: 'b' }, {}, {}, {}, { 'f:text': {} }],
  ['a map comes with its place', {}, { labels: { a: '1' } }, { 'f:labels': { '.': {}, 'f:a': {} } }, {}, {}],
  ['a key comes', { labels: { b: '' } }, { labels: { a: '1', b: '' } }, { 'f:labels': { 'f:a': {} } }, {}, {}],
  ['an item of a set goes', { set: ['a', 'b'] }, { set: ['b'] }, {}, {}, { 'f:set': { 'v:"a"': {} } }],
  ['the order of items is no change', { set: ['a', 'b'] }, { set: ['b', 'a'] }, {}, {}, {}],
  [
    'a field of an item',
    { items: [{ name: 'a', value: 1 }] },
    { items: [{ name: 'a', port: 1, value: 2 }] },
    { 'f:items': { 'k:{"name":"a","port":1}': { 'f:port': {} } } },
    { 'f:items': { 'k:{"name":"a","port":1}': { 'f:value': {} } } },
    {},
  ],
  [
    'what nobody declared: maps apart, lists whole',
    { any: { a: [1], b: 1 } },
    { any: { a: [2], b: 1 } },
    {},
    { 'f:any': { 'f:a': {} } },
    {},
  ],
  ['a map that becomes a list', { any: { a: 1 } }, { any: [1] }, {}, { 'f:any': {} }, {}],
];
for (const [name, before, after, ...wanted] of CHANGES) {
  test(`compared: ${name}`, () => {
    const { added, modified, removed } = compareValues(SHAPE, before, after);
    assert.deepEqual([added, modified, removed].map(writeWireFields), wanted);
  });
}

const LISTED: readonly [name: string, value: object, fields: object | string][] = [
  [
    'places of keys and items, not of fields',
    { labels: { a: '' }, set: ['x'] },
    { 'f:labels': { 'f:a': {} }, 'f:set': { 'v:"x"': {} } },
  ],
  [
    'an item and what it holds',
    { items: [{ name: 'a' }] },
    { 'f:items': { 'k:{"name":"a","port":1}': { '.': {}, 'f:name': {} } } },
  ],
  ['what holds nothing', { labels: {}, text: null }, { 'f:labels': {}, 'f:text': {} }],
  ['an unknown field', { x: 1 }, '.x: field not declared in schema'],
  [
    'an unknown field of an item',
    { items: [{ name: 'a', x: 1 }] },
    '.items[name="a",port=1].x: field not declared in schema',
  ],
  ['a list for a map', { labels: [] }, '.labels: expected map, got &{[]}'],
  ['an item twice', { set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
  [
    'an item by key twice',
    { items: [{ name: 'a' }, { name: 'a' }] },
    '.items: duplicate entries for key [name="a",port=1]',
  ],
  [
    'an item that is nothing',
    { items: [null] },
    '.items: element 0: associative list with keys may not have a null element',
  ],
  [
    'an item that is no map',
    { items: [{}, 1] },
    '.items: element 1: associative list with keys may not have non-map elements',
  ],
  ['an item without its key', { items: [{ value: 1 }] }, { 'f:items': { 'k:{"port":1}': { '.': {}, 'f:value': {} } } }],
];
for (const [name, value, wanted] of LISTED) {
  test(`listed: ${name}`, () => {
    if (typeof wanted === 'string') assert.throws(() => fieldsListed(SHAPE, value), { message: wanted });
    else assert.deepEqual(writeWireFields(fieldsListed(SHAPE, value)), wanted);
  });
}

const MERGED: readonly [name: string, live: object, configuration: object, merged: object][] = [
  [
    'maps',
    { text: 'a', labels: { a: '1', b: '2' } },
    { labels: { b: '3' } },
    { text: 'a', labels: { a: '1', b: '3' } },
  ],
  ['sets', { set: ['a', 'b'] }, { set: ['c', 'a'] }, { set: ['c', 'a', 'b'] }],
  [
    'items in the order of the configuration, the others where they are',
    { items: [{ name: 'x' }, { name: 'a', value: 1 }, { name: 'b' }] },
    { items: [{ name: 'b' }, { name: 'a', port: 1 }] },
    { items: [{ name: 'x' }, { name: 'b' }, { name: 'a', value: 1, port: 1 }] },
  ],
  [
    'a key of a prototype',
    {},
    { labels: JSON.parse('{"__proto__":"x"}') as object },
    { labels: JSON.parse('{"__proto__":"x"}') as object },
  ],
];
for (const [name, live, configuration, merged] of MERGED) {
  test(`merged: ${name}`, () => {
    const kept = JSON.stringify([live, configuration]);
    assert.equal(JSON.stringify(mergeValues(SHAPE, live, configuration)), JSON.stringify(merged));
    assert.equal(JSON.stringify([live, configuration]), kept, 'nothing in place');
  });
}

test('removed: places with all below them; what loses all goes too', () => {
  const value = { text: 'a', labels: { a: '1' }, set: ['x', 'y'], items: [{ name: 'a', value: 1 }, { name: 'b' }] };
  const gone = readFieldSet({
    'f:labels': { 'f:a': {} },
    'f:set': { 'v:"x"': {} },
    'f:items': { 'k:{"name":"a","port":1}': { 'f:value': {} }, 'k:{"name":"b","port":1}': {} },
  });
  assert.deepEqual(removeFields(SHAPE, value, gone), { text: 'a', set: ['y'], items: [{ name: 'a' }] });
});

test('parts and keys', () => {
  assert.deepEqual([isAbsent(null), isAbsent(0)], [true, false]);
  assert.equal(keyElement(ITEMS, { name: 'a' }), 'k:{"name":"a","port":1}');
  assert.equal(keyElement(ITEMS, 'a'), undefined);
  const odd = { ...ITEMS, keys: ['__proto__', 'constructor'], defaults: {} };
  const item: unknown = JSON.parse('{"__proto__":"a","constructor":"b"}');
  assert.equal(keyElement(odd, item), 'k:{"__proto__":"a","constructor":"b"}');
  assert.equal(keyElement(odd, {}), 'k:{}');
  assert.deepEqual(
    partsOf(ITEMS, [{}]).map(({ element }) => element),
    ['k:{"port":1}'],
  );
});

/** What a comparison is, in the fewest words: each part by its element, a place that comes or goes with all below it. */
function told(shape: Shape, before: unknown, after: unknown): Comparison {
  const drafts = { added: new FieldSetDraft(), modified: new FieldSetDraft(), removed: new FieldSetDraft() };
  const visit = (at: Shape, [was, is]: readonly [unknown, unknown], path: readonly string[]): void => {
    const [isNew, isGone] = [was === undefined, is === undefined];
    if (isNew && isGone) return;
    const [isNone, becomesNone] = [isAbsent(was), isAbsent(is)];
    const isApart = (isNone || isTakenApart(at, was)) && (becomesNone || isTakenApart(at, is));
    const areEmpty = (isNone || isEmptyValue(was)) && (becomesNone || isEmptyValue(is));
    if (isApart && !areEmpty) {
      const [olds, news] = [was, is].map((value) => new Map(partsOf(at, value).map((part) => [part.element, part])));
      for (const element of new Set([...(olds?.keys() ?? []), ...(news?.keys() ?? [])])) {
        const [old, part] = [olds?.get(element), news?.get(element)];
        const below = element.startsWith('v:') ? LEAF : (part ?? old)?.shape;
        visit(below ?? LEAF, [old?.value, part?.value], [...path, element]);
      }
    } else if (!isNew && !isGone && !deepEqual(was, is)) drafts.modified.add(path);
    if (isNew) drafts.added.add(path);
    if (isGone) drafts.removed.add(path);
  };
  visit(shape, [before, after], []);
  return { added: drafts.added.set, modified: drafts.modified.set, removed: drafts.removed.set };
}

const scalar = fc.constantFrom<unknown>('a', 'b', 1, 2, null, '');
const name = fc.constantFrom('a', 'b', 'constructor', '__proto__', '10');
const open = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const thing = fc.record(
  {
    text: scalar,
    labels: fc.oneof(fc.constant(null), fc.dictionary(name, scalar, { maxKeys: 4 })),
    set: fc.oneof(scalar, fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 1), { maxLength: 4 })),
    items: fc.uniqueArray(
      fc.record(
        { name: fc.constantFrom('a', 'b', 'c'), port: fc.constantFrom(1, 2, '1'), value: open },
        { requiredKeys: ['name'] },
      ),
      { maxLength: 4, selector: (item) => keyElement(ITEMS, item) },
    ),
    any: open,
  },
  { requiredKeys: [] },
);

test('whatever is compared: the same as part by part', () => {
  fc.assert(
    fc.property(thing, thing, fc.boolean(), (one, other, shares) => {
      // Parts of what is patched are often the very same as before.
      const after = shares ? { ...other, items: one.items, any: one.any } : other;
      assert.deepEqual(compareValues(SHAPE, one, after), told(SHAPE, one, after));
      assert.deepEqual(compareValues(SHAPE, undefined, after), told(SHAPE, undefined, after));
      assert.deepEqual(compareValues(SHAPE, one, structuredClone(one)), { added: {}, modified: {}, removed: {} });
    }),
    { seed: 36, numRuns: 2000 },
  );
});

test('a list that says something twice and stays as it is, is no change', () => {
  const twice = { set: ['a', 'a'], items: [{ name: 'a' }, { name: 'a' }] };
  assert.deepEqual(compareValues(SHAPE, twice, structuredClone(twice)), { added: {}, modified: {}, removed: {} });
});
