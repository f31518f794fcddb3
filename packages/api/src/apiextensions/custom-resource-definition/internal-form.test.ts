import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import { shownSchema, shownVersions } from './internal-form.ts';

// What Go's encoder makes of upstream's own types; whole messages of a real server are in `definition-verdicts.json`.
const EMPTY = shownSchema({});
const shown = (schema: JSONSchemaProps): object =>
  Object.fromEntries(
    Object.entries(shownSchema(schema)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify((EMPTY as { [name: string]: unknown })[name]),
    ),
  );

test('each field is there, in Go’s order', () => {
  const names = Object.keys(EMPTY);
  assert.deepEqual([names.length, names[0], names[4], names.at(-1)], [44, 'ID', 'Type', 'XValidations']);
  assert.equal(JSON.stringify(EMPTY).slice(0, 40), '{"ID":"","Schema":"","Ref":null,"Descrip');
});

const ROWS: readonly [name: string, schema: object, expected: object][] = [
  [
    'texts, numbers, truths',
    { type: 'string', maxLength: 0, nullable: true },
    { Type: 'string', MaxLength: 0, Nullable: true },
  ],
  ['what says nothing', { type: '', nullable: false, enum: null }, {}],
  ['a default of false', { default: false }, { Default: false }],
  ['a default of no text', { default: '' }, { Default: '' }],
  ['other members: none', { additionalProperties: false }, { AdditionalProperties: { Allows: false, Schema: null } }],
  ['other members: any', { additionalProperties: true }, { AdditionalProperties: { Allows: true, Schema: null } }],
  [
    'other members: of a schema',
    { additionalProperties: {} },
    { AdditionalProperties: { Allows: true, Schema: EMPTY } },
  ],
  ['items', { items: {} }, { Items: { Schema: EMPTY, JSONSchemas: null } }],
  ['a list of items', { items: [{}] }, { Items: { Schema: null, JSONSchemas: [EMPTY] } }],
  ['properties in order', { properties: { b: {}, a: {} } }, { Properties: { a: EMPTY, b: EMPTY } }],
  ['parts', { not: {}, allOf: [{}] }, { AllOf: [EMPTY], Not: EMPTY }],
  [
    'dependencies',
    { dependencies: { a: ['b'], c: {} } },
    { Dependencies: { a: { Schema: null, Property: ['b'] }, c: { Schema: EMPTY, Property: null } } },
  ],
  ['documents', { externalDocs: { url: 'u' } }, { ExternalDocs: { Description: '', URL: 'u' } }],
  [
    'rules',
    { 'x-kubernetes-validations': [{ rule: 'true' }] },
    {
      XValidations: [
        { Rule: 'true', Message: '', MessageExpression: '', Reason: null, FieldPath: '', OptionalOldSelf: null },
      ],
    },
  ],
];
for (const [name, schema, expected] of ROWS)
  test(`a schema as messages show it: ${name}`, () => assert.deepEqual(shown(schema), expected));

test('a large schema is shown as far as a message has room', () => {
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${n}`, { type: 'string' }]));
  const text = JSON.stringify(shownSchema({ properties: wide, allOf: [{ properties: wide }] }));
  assert.ok(text.length < 100_000, `${text.length}`);
  let deep: JSONSchemaProps = {};
  for (let i = 0; i < 1000; i++) deep = { items: deep };
  assert.ok(JSON.stringify(shownSchema(deep)).length < 100_000);
});

type Versions = CustomResourceDefinition['spec']['versions'];
const version = (name: string, more: Partial<Versions[number]> = {}): Versions[number] => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: {} },
  ...more,
});
const plain = (name: string): object => ({
  Name: name,
  Served: true,
  Storage: false,
  Deprecated: false,
  DeprecationWarning: null,
  Schema: null,
  Subresources: null,
  AdditionalPrinterColumns: null,
  SelectableFields: null,
});

test('versions: what all have stands elsewhere', () => {
  const column = { name: 'c', type: 'string', jsonPath: '.c' };
  const all = {
    additionalPrinterColumns: [column],
    subresources: { status: {} },
    selectableFields: [{ jsonPath: '.c' }],
  };
  assert.deepEqual(shownVersions([version('v1', all), version('v2', all)]), [plain('v1'), plain('v2')]);
});

test('versions: what they have of their own', () => {
  const scale = { specReplicasPath: '.spec.r', statusReplicasPath: '.status.r' };
  const own = version('v1', {
    deprecated: true,
    deprecationWarning: 'w',
    schema: { openAPIV3Schema: { type: 'object' } },
    subresources: { status: {}, scale },
    additionalPrinterColumns: [{ name: 'c', type: 'string', jsonPath: '.c' }],
    selectableFields: [{ jsonPath: '.c' }],
  });
  const [first, second] = shownVersions([own, version('v2')]);
  assert.deepEqual(first, {
    ...plain('v1'),
    Deprecated: true,
    DeprecationWarning: 'w',
    Schema: { OpenAPIV3Schema: shownSchema({ type: 'object' }) },
    Subresources: {
      Status: {},
      Scale: { SpecReplicasPath: '.spec.r', StatusReplicasPath: '.status.r', LabelSelectorPath: null },
    },
    AdditionalPrinterColumns: [{ Name: 'c', Type: 'string', Format: '', Description: '', Priority: 0, JSONPath: '.c' }],
    SelectableFields: [{ JSONPath: '.c' }],
  });
  assert.deepEqual(second, { ...plain('v2'), Schema: { OpenAPIV3Schema: EMPTY } });
});
