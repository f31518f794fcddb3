import assert from 'node:assert/strict';
import test from 'node:test';
import { atOnce } from '@binnacle/base';
import type { SchemaProps } from '@binnacle/machinery/structural';
import { objectRules } from './evaluate-rules.ts';

interface Row {
  readonly name: string;
  readonly schema: SchemaProps;
  readonly object: object;
  readonly before?: object;
  readonly errors?: readonly string[];
  readonly warnings?: readonly string[];
}

type Rule = string | { readonly rule: string; readonly [field: string]: unknown };

function ruled(schema: SchemaProps, ...rules: readonly Rule[]): SchemaProps {
  const list = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...schema, 'x-kubernetes-validations': list };
}

const object = (properties: { readonly [name: string]: SchemaProps }, more: SchemaProps = {}): SchemaProps => ({
  type: 'object',
  properties,
  ...more,
});
const INT: SchemaProps = { type: 'integer' };
const TEXT: SchemaProps = { type: 'string' };
const withSpec = (spec: SchemaProps): SchemaProps => object({ spec });
const RANGE = object({ min: INT, max: INT });
const KEYED = {
  type: 'array',
  items: ruled(object({ name: TEXT, size: INT }), 'self.size >= oldSelf.size'),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
};

const ROWS: readonly Row[] = [
  {
    name: 'a rule that holds',
    schema: withSpec(ruled(RANGE, 'self.min <= self.max')),
    object: { spec: { min: 1, max: 2 } },
  },
  {
    name: 'a rule that does not hold',
    schema: withSpec(ruled(RANGE, 'self.min <= self.max')),
    object: { spec: { min: 3, max: 2 } },
    errors: ['spec: Invalid value: failed rule: self.min <= self.max'],
  },
  {
    name: 'a rule of a scalar shows the value',
    schema: withSpec(object({ size: ruled(INT, { rule: 'self < 10', message: 'too large ' }) })),
    object: { spec: { size: 12 } },
    errors: ['spec.size: Invalid value: 12: too large'],
  },
  {
    name: 'a rule at the top sees the metadata of every object',
    schema: ruled(object({}), "self.metadata.name.startsWith('a') && self.kind == 'Boat'"),
    object: { kind: 'Boat', apiVersion: 'v1', metadata: { name: 'b' } },
    errors: ["<nil>: Invalid value: failed rule: self.metadata.name.startsWith('a') && self.kind == 'Boat'"],
  },
  {
    name: 'an own message, a reason and a path',
    schema: withSpec(
      ruled(RANGE, {
        rule: 'self.min <= self.max',
        messageExpression: "'min is %d'.format([self.min])",
        reason: 'FieldValueForbidden',
        fieldPath: '.min',
      }),
    ),
    object: { spec: { min: 3, max: 2 } },
    errors: ['spec.min: Forbidden: min is 3'],
  },
  {
    name: 'an own message that fails gives way to the other',
    schema: withSpec(ruled(RANGE, { rule: 'false', message: 'never', messageExpression: "['a'][self.min]" })),
    object: { spec: { min: 3, max: 2 } },
    errors: ['spec: Invalid value: never'],
  },
  {
    name: 'missing fields are failures of the rule',
    schema: withSpec(ruled(RANGE, 'self.min <= self.max')),
    object: { spec: { min: 3 } },
    errors: ['spec: Invalid value: "object": no such key: max evaluating rule: self.min <= self.max'],
  },
  {
    name: 'transition rules wait for a change',
    schema: withSpec(object({ zone: ruled(TEXT, 'self == oldSelf') })),
    object: { spec: { zone: 'a' } },
  },
  {
    name: 'transition rules compare with what was',
    schema: withSpec(object({ zone: ruled(TEXT, { rule: 'self == oldSelf', message: 'is immutable' }) })),
    object: { spec: { zone: 'b' } },
    before: { spec: { zone: 'a' } },
    errors: ['spec.zone: Invalid value: "b": is immutable'],
  },
  {
    name: 'an optional oldSelf is looked at on creation too',
    schema: withSpec(
      object({ zone: ruled(TEXT, { rule: "oldSelf.hasValue() || self == 'a'", optionalOldSelf: true }) }),
    ),
    object: { spec: { zone: 'b' } },
    errors: ['spec.zone: Invalid value: "b": failed rule: oldSelf.hasValue() || self == \'a\''],
  },
  {
    name: 'items of a keyed list are compared with those of their key',
    schema: withSpec(object({ parts: KEYED })),
    object: {
      spec: {
        parts: [
          { name: 'b', size: 5 },
          { name: 'a', size: 1 },
          { name: 'c', size: 0 },
        ],
      },
    },
    before: {
      spec: {
        parts: [
          { name: 'a', size: 2 },
          { name: 'b', size: 4 },
        ],
      },
    },
    errors: ['spec.parts[1]: Invalid value: failed rule: self.size >= oldSelf.size'],
  },
  {
    name: 'what was wrong and did not change is a warning',
    schema: withSpec(object({ size: ruled(INT, 'self < 10'), name: TEXT })),
    object: { spec: { size: 12, name: 'b' } },
    before: { spec: { size: 12, name: 'a' } },
    warnings: ['spec.size: Invalid value: 12: failed rule: self < 10'],
  },
  {
    name: 'values of maps, embedded resources and rules of allOf',
    schema: object({
      labels: { type: 'object', additionalProperties: ruled(TEXT, 'self.size() < 3') },
      pod: ruled(object({}, { 'x-kubernetes-embedded-resource': true }), "self.metadata.name == 'p'"),
      spec: object({ n: INT }, { allOf: [{ properties: { n: ruled({}, 'self > 1') } }] }),
    }),
    object: { labels: { a: 'long', b: 'x' }, pod: { metadata: { name: 'q' } }, spec: { n: 1 } },
    errors: [
      'labels[a]: Invalid value: "long": failed rule: self.size() < 3',
      "pod: Invalid value: failed rule: self.metadata.name == 'p'",
      'spec.n: Invalid value: 1: failed rule: self > 1',
    ],
  },
  {
    name: 'names that are no identifiers are spelt out',
    schema: withSpec(
      ruled(object({ 'a-b': INT, namespace: TEXT }), "self.a__dash__b == 1 && self.__namespace__ == 'x'"),
    ),
    object: { spec: { 'a-b': 1, namespace: 'x' } },
  },
  {
    name: 'formats are types',
    schema: withSpec(
      ruled(
        object({
          at: { type: 'string', format: 'date-time' },
          wait: { type: 'string', format: 'duration' },
          raw: { type: 'string', format: 'byte' },
          port: { 'x-kubernetes-int-or-string': true },
          share: { type: 'number' },
        }),
        "self.at.getFullYear() == 2024 && self.wait > duration('1m') && self.raw == b'hi' && type(self.port) == int && self.share > 0.5",
      ),
    ),
    object: { spec: { at: '2024-05-01T00:00:00Z', wait: '90s', raw: 'aGk=', port: 80, share: 1 } },
  },
  {
    name: 'sets are equal in any order',
    schema: withSpec(
      ruled(
        object({ tags: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' } }),
        'self.tags == oldSelf.tags',
      ),
    ),
    object: { spec: { tags: ['a', 'b'] } },
    before: { spec: { tags: ['b', 'a'] } },
  },
  {
    name: 'the budget of one object ends',
    schema: withSpec(
      object({
        items: { type: 'array', items: ruled({ type: 'string' }, '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(x, x > 0)') },
      }),
    ),
    object: { spec: { items: Array.from({ length: 200_000 }, () => 'a') } },
    errors: [
      'spec.items[196078]: Invalid value: "string": validation failed due to running out of cost budget, no further validation rules will be run',
    ],
  },
  {
    name: 'one rule costs more than one may',
    schema: withSpec(ruled(object({ l: { type: 'array', items: INT } }), 'self.l.all(a, self.l.all(b, a + b >= 0))')),
    object: { spec: { l: Array.from({ length: 2000 }, (_, i) => i) } },
    errors: [
      'spec: Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: self.l.all(a, self.l.all(b, a + b >= 0))',
    ],
  },
  {
    name: 'members named like those of prototypes are data',
    schema: object({ m: { type: 'object', additionalProperties: ruled(INT, 'self > 0') } }),
    object: JSON.parse('{"m":{"__proto__":0,"constructor":1}}') as object,
    errors: ['m[__proto__]: Invalid value: 0: failed rule: self > 0'],
  },
];

for (const { name, schema, object: given, before, errors = [], warnings = [] } of ROWS) {
  test(name, () => {
    const rules = objectRules(schema);
    const found = rules && atOnce(rules(given, before));
    assert.deepEqual(found?.errors.map(String), errors);
    assert.deepEqual(found?.warnings, warnings);
  });
}

test('a schema without rules is none of ours', () => assert.equal(objectRules(withSpec(RANGE)), undefined));
