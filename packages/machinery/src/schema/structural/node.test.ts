import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compileNode, keepsMember, memberNode, topNode } from './node.ts';
import type { SchemaProps } from './props.ts';

const ANY = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const KEPT: readonly [name: string, props: SchemaProps, kept: readonly string[], gone: readonly string[]][] = [
  ['nothing is said', {}, [], ['a', 'kind', 'constructor', '__proto__', '']],
  ['properties', { properties: { a: {}, constructor: {} } }, ['a', 'constructor'], ['b', '__proto__', 'toString']],
  [
    'a property __proto__',
    { properties: JSON.parse('{"__proto__":{}}') as { [name: string]: SchemaProps } },
    ['__proto__'],
    ['constructor'],
  ],
  ['all others of a schema', { additionalProperties: { type: 'string' } }, ['a', '__proto__'], []],
  ['anything goes', { additionalProperties: true }, ['a'], []],
  ['nothing else goes', { properties: { a: {} }, additionalProperties: false }, ['a'], ['b']],
  ['unknown ones stay', { [ANY]: true }, ['a', 'kind'], []],
  ['unknown ones do not', { [ANY]: false }, [], ['a']],
  ['a resource within', { [EMBEDDED]: true }, ['apiVersion', 'kind', 'metadata'], ['spec', 'Kind']],
];
for (const [name, props, kept, gone] of KEPT)
  it(`members that stay: ${name}`, () => {
    const node = compileNode(props);
    for (const key of kept) assert.equal(keepsMember(node, key), true, key);
    for (const key of gone) assert.equal(keepsMember(node, key), false, key);
  });
it('members that stay: none where there is no schema', () => assert.equal(keepsMember(undefined, 'kind'), false));
it('the top is a resource; what is within it is not', () => {
  const node = topNode({ properties: { spec: {} } });
  assert.deepEqual([keepsMember(node, 'metadata'), keepsMember(memberNode(node, 'spec'), 'metadata')], [true, false]);
});

it('what lies below “anything goes” is unknown all the same', () => {
  const inner = memberNode(compileNode({ additionalProperties: true }), 'a');
  assert.equal(keepsMember(inner, 'b'), false);
});

const OF: readonly [name: string, props: SchemaProps, expected: object][] = [
  [
    'nothing is said',
    {},
    {
      preservesUnknown: false,
      isResource: false,
      isNullable: false,
      isIntOrString: false,
      default: undefined,
      listType: 'atomic',
      listKeys: [],
      mapType: 'granular',
    },
  ],
  ['nullable', { nullable: true, default: null }, { isNullable: true, default: null }],
  ['a default that looks like none', { default: false }, { default: false }],
  ['a number or a text', { 'x-kubernetes-int-or-string': true }, { isIntOrString: true }],
  ['a set', { 'x-kubernetes-list-type': 'set' }, { listType: 'set' }],
  [
    'a list by keys',
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] },
    { listType: 'map', listKeys: ['a', 'b'] },
  ],
  ['a list of no known type', { 'x-kubernetes-list-type': 'constructor' }, { listType: 'atomic' }],
  ['a map as a whole', { 'x-kubernetes-map-type': 'atomic' }, { mapType: 'atomic' }],
];
for (const [name, props, expected] of OF)
  it(`a node of a schema: ${name}`, () => {
    const node = compileNode(props);
    for (const [key, value] of Object.entries(expected)) assert.deepEqual(node[key as keyof typeof node], value, key);
  });

it('items: of one schema; a list of schemas is none', () => {
  assert.equal(compileNode({ items: { type: 'string' } }).items?.props.type, 'string');
  assert.equal(compileNode({ items: [{ type: 'string' }] }).items, undefined);
  assert.equal(compileNode({}).items, undefined);
});
