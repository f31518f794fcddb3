import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StructSchema } from '@binnacle/machinery';
import { formatType } from '../types.ts';
import type { Type } from '../types.ts';
import { structType } from './struct-type.ts';

const struct = (fields: { readonly [name: string]: string }): StructSchema => ({
  fields: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
});
const TABLE = new Map<string, StructSchema>([
  [
    'v1.Thing',
    struct({
      name: 'string',
      count: 'int64',
      small: 'int32',
      ratio: 'double',
      on: 'bool',
      raw: 'bytes',
      at: 'Time',
      micro: 'MicroTime',
      wait: 'Duration',
      amount: 'Quantity',
      port: 'IntOrString',
      any: 'JSON',
      labels: '{}string',
      names: '[]string',
      inner: '#v1.Thing',
      inners: '[]#v1.Thing',
      byName: '{}[]#v1.Thing',
      missing: '#v1.Missing',
      either: '#v1.Either',
      namespace: 'string',
      'x-dash': 'string',
      in: 'bool',
    }),
  ],
  ['v1.Either', { fields: {}, union: {} }],
]);
const thing = structType((name) => TABLE.get(name), 'v1.Thing', 'object');
const field = (type: Type | undefined, name: string): Type | undefined =>
  type?.kind === 'object' ? type.field(name) : undefined;

for (const [name, type] of [
  ['name', 'string'],
  ['count', 'int'],
  ['small', 'int'],
  ['ratio', 'double'],
  ['on', 'bool'],
  ['raw', 'bytes'],
  ['at', 'timestamp'],
  ['micro', 'timestamp'],
  ['wait', 'string'],
  ['amount', 'dyn'],
  ['port', 'dyn'],
  ['any', 'dyn'],
  ['labels', 'map(string, string)'],
  ['names', 'list(string)'],
  ['inner', 'object.inner'],
  ['inners', 'list(object.inners.@idx)'],
  ['byName', 'map(string, list(object.byName.@elem.@idx))'],
  ['missing', 'dyn'],
  ['either', 'dyn'],
  ['__namespace__', 'string'],
  ['x__dash__dash', 'string'],
  ['__in__', 'bool'],
] as const)
  test(`the type of ${name}`, () => {
    const found = field(thing, name);
    assert.equal(found === undefined ? 'none' : formatType(found), type);
    assert.equal(field(thing, name), found, 'made once');
  });
for (const name of ['constructor', '__proto__', 'in', 'x-dash', 'Name', ''])
  test(`no field is called ${JSON.stringify(name)}`, () => assert.equal(field(thing, name), undefined));
test('a kind that holds itself has no end, and costs nothing until it is asked', () => {
  let type: Type | undefined = thing;
  for (let i = 0; i < 50; i++) type = field(type, 'inner');
  assert.equal(formatType(field(type, 'name') ?? thing), 'string');
});
test('a struct that nobody knows is anything', () =>
  assert.equal(structType(() => undefined, 'x', 'object').kind, 'dyn'));
