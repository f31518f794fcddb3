import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { belowField, belowItem, Correlated, itemsBefore, mayStay, memberOf, NEW } from './correlation.ts';
import { hasRules, needsCheck } from './has-rules.ts';

const RULE = [{ rule: 'self > 0' }];

describe('what a schema has', () => {
  type Row = readonly [name: string, schema: unknown, rules: boolean, check: boolean];
  const rows: readonly Row[] = [
    ['nothing', {}, false, false],
    ['no schema', undefined, false, false],
    ['null', null, false, false],
    ['types alone', { type: 'object', properties: { a: { type: 'string' } } }, false, false],
    ['a rule', { 'x-kubernetes-validations': RULE }, true, true],
    ['no rules', { 'x-kubernetes-validations': [] }, false, true],
    ['a rule of a property', { properties: { a: { 'x-kubernetes-validations': RULE } } }, true, true],
    ['a rule of items', { items: { 'x-kubernetes-validations': RULE } }, true, true],
    ['a rule of further members', { additionalProperties: { 'x-kubernetes-validations': RULE } }, true, true],
    ['a rule of one of several', { oneOf: [{}, { 'x-kubernetes-validations': RULE }] }, true, true],
    ['a property that is called so', { properties: { 'x-kubernetes-validations': { type: 'array' } } }, false, true],
    ['a default', { properties: { a: { default: 1 } } }, false, true],
    ['a pattern', { items: { pattern: '^a' } }, false, true],
  ];
  for (const [name, schema, rules, check] of rows) {
    test(name, () => assert.deepEqual([hasRules(schema), needsCheck(schema)], [rules, check]));
  }
});

describe('a member of a value', () => {
  const rows: readonly (readonly [value: unknown, name: string, member: unknown])[] = [
    [{ a: 1 }, 'a', 1],
    [{ a: null }, 'a', null],
    [{ a: 1 }, 'b', undefined],
    [{}, 'constructor', undefined],
    [JSON.parse('{"__proto__":1}'), '__proto__', 1],
    [{}, '__proto__', undefined],
    [[1, 2], '0', undefined],
    [[1, 2], 'length', undefined],
    ['text', 'length', undefined],
    [null, 'a', undefined],
    [undefined, 'a', undefined],
  ];
  for (const [value, name, member] of rows) {
    test(`${JSON.stringify(value)}: ${name}`, () => assert.equal(memberOf(value, name), member));
  }
});

describe('what a value was before', () => {
  const root = {
    here: new Correlated({ apiVersion: 'v2', spec: { a: 1, b: 2 } }, { apiVersion: 'v1', spec: { a: 1, b: 3 } }),
    above: undefined,
  };

  test('by the field; versions are what the request speaks', () => {
    assert.equal(belowField(root, 'apiVersion'), NEW);
    const spec = belowField(root, 'spec');
    assert.deepEqual(
      [mayStay(spec), mayStay(belowField(spec, 'a')), mayStay(belowField(spec, 'b'))],
      [false, true, false],
    );
  });

  test('what was not there may stay where the place above is as it was', () => {
    const same = { here: new Correlated({ a: 1 }, { a: 1 }), above: root.here };
    const absent = belowField(same, 'x');
    assert.deepEqual([absent.here, mayStay(absent)], [undefined, true]);
    assert.deepEqual([mayStay(NEW), belowField(NEW, 'a'), belowItem(NEW, 1, 1)], [false, NEW, NEW]);
  });

  const props = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name', 'port'] } as const;
  const before = [
    { name: 'a', port: 1, v: 'x' },
    { name: 'a', v: 'y' },
  ];
  test('by the keys of an item, of which some may be missing', () => {
    const find = itemsBefore(before, props);
    assert.equal(find({ port: 1, name: 'a' }), before[0]);
    assert.equal(find({ name: 'a' }), before[1]);
    assert.equal(find({ name: 'b' }), undefined);
    assert.equal(find('a'), undefined);
  });
  test('not of a list that is none of those', () => {
    assert.equal(itemsBefore(before, { 'x-kubernetes-list-type': 'set' })(before[0]), undefined);
    assert.equal(itemsBefore(undefined, props)(before[0]), undefined);
  });
});
