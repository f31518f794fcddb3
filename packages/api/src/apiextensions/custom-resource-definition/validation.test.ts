import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkCreate, checkUpdate, kindOf, objectOf, texts } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';
import { validateStatusUpdate, validateUpdate } from '../../validate.ts';

const DEFINITION: Kind = ['apiextensions.k8s.io', 'CustomResourceDefinition', false];
const SCHEMA = { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } };
const version = (fields: object): object => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: SCHEMA },
  ...fields,
});
const of = (fields: object): object => ({
  metadata: { name: 'foos.x.io' },
  spec: {
    group: 'x.io',
    scope: 'Namespaced',
    names: { plural: 'foos', kind: 'Foo' },
    versions: [version({})],
    ...fields,
  },
});
const schema = (openAPIV3Schema: object): object => of({ versions: [version({ schema: { openAPIV3Schema } })] });
const property = (fields: object): object => schema({ type: 'object', properties: { a: fields } });
const AT = 'spec.validation.openAPIV3Schema';
const RULES = 'x-kubernetes-validations';

// Provenance: upstream apiextensions-apiserver, pkg/apis/apiextensions/validation and pkg/apiserver/schema.
checkCreate('definitions', [
  ['right', 'ValidateCustomResourceDefinition', DEFINITION, of({})],
  [
    'another name',
    'ValidateCustomResourceDefinition',
    DEFINITION,
    { ...of({}), metadata: { name: 'x' } },
    'metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group',
  ],
  [
    'wrong names',
    'validateCustomResourceDefinitionNames',
    DEFINITION,
    of({ scope: 'x', names: { plural: 'foos', kind: 'Foo', listKind: 'Foo', shortNames: ['f'] } }),
    'spec.scope: Unsupported value: "x": supported values: "Cluster", "Namespaced"',
    'spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same',
  ],
  [
    'no schema',
    'validateCustomResourceDefinitionVersion',
    DEFINITION,
    of({ versions: [version({ schema: undefined })] }),
    'spec.versions[0].schema.openAPIV3Schema: Required value',
  ],
  [
    'rules in parts of a schema, with what is wrong with how they are written',
    'validateNestedValueValidation, ValidateCustomResourceDefinitionOpenAPISchema',
    DEFINITION,
    property({
      type: 'object',
      properties: { b: { type: 'string' } },
      anyOf: [{ [RULES]: [{ rule: 'true' }] }, { properties: { b: { [RULES]: [{ rule: ' ' }] } } }],
      oneOf: [{ [RULES]: [{ rule: 'true', message: ' ', reason: 'x' }] }],
      not: { [RULES]: [{ rule: 'true', fieldPath: '.c' }] },
      [RULES]: [{ rule: 'true', messageExpression: ' ' }],
    }),
    ...['anyOf[0]', 'anyOf[1].properties[b]', 'not', 'oneOf[0]'].map(
      (part) => `${AT}.properties[a].${part}.${RULES}: Forbidden: must be empty to be structural`,
    ),
    `${AT}.properties[a].${RULES}[0].messageExpression: Required value: messageExpression must be non-empty if specified`,
    `${AT}.properties[a].anyOf[1].properties[b].${RULES}[0].rule: Required value: rule is not specified`,
    `${AT}.properties[a].oneOf[0].${RULES}[0].message: Invalid value: " ": must be non-empty if specified`,
    `${AT}.properties[a].oneOf[0].${RULES}[0].reason: Unsupported value: "x": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    `${AT}.properties[a].not.${RULES}[0].fieldPath: Invalid value: ".c": must be a valid path`,
  ],
  [
    'a hook that is none',
    'validateCustomResourceConversion',
    DEFINITION,
    of({ conversion: { strategy: 'Webhook' } }),
    'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
    'spec.conversion.conversionReviewVersions: Required value',
  ],
  [
    'columns and scale',
    'ValidateCustomResourceColumnDefinition',
    DEFINITION,
    of({
      versions: [
        version({
          additionalPrinterColumns: [{ name: 'a', type: 'x', jsonPath: '.a' }],
          subresources: { scale: { specReplicasPath: '.a', statusReplicasPath: '.status.a' } },
        }),
      ],
    }),
    'spec.subresources.scale.specReplicasPath: Invalid value: ".a": should be a json path under .spec',
    'spec.additionalPrinterColumns[0].type: Invalid value: "x": must be one of boolean,date,integer,number,string',
  ],
  [
    'a list at the root',
    'ValidateStructural',
    DEFINITION,
    schema({ type: 'string' }),
    `${AT}.type: Invalid value: "string": must be object at the root`,
  ],
  [
    'no type',
    'ValidateStructural',
    DEFINITION,
    property({}),
    `${AT}.properties[a].type: Required value: must not be empty for specified object fields`,
  ],
  [
    'no items',
    'ValidateStructural',
    DEFINITION,
    property({ type: 'array' }),
    `${AT}.properties[a].items: Required value: must be specified`,
  ],
  ['int or string', 'ValidateStructural', DEFINITION, property({ 'x-kubernetes-int-or-string': true })],
  [
    'a map of items without a key',
    'ValidateStructural',
    DEFINITION,
    property({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['constructor'],
      items: { type: 'object' },
    }),
    `${AT}.properties[a].x-kubernetes-list-map-keys: Invalid value: ["constructor"]: entries must all be names of item properties`,
  ],
]);

checkUpdate('definitions', [
  ['another schema', 'ValidateCustomResourceDefinitionUpdate', DEFINITION, of({}), property({ type: 'string' })],
  [
    'another scope once served',
    'ValidateCustomResourceDefinitionUpdate',
    DEFINITION,
    { ...of({}), status: { conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v1'] } },
    of({ scope: 'Cluster' }),
    'spec.scope: Invalid value: "Cluster": field is immutable',
  ],
]);

it('versions that were stored stay, until whoever wrote all objects anew says so in the status', () => {
  const stored = objectOf(DEFINITION, { ...of({}), status: { conditions: [], storedVersions: ['v0'] } });
  assert.deepEqual(texts(validateUpdate(kindOf(DEFINITION), stored, stored)), [
    'status.storedVersions: Invalid value: ["v0"]: must have the storage version v1',
    'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
  ]);
  assert.deepEqual(texts(validateStatusUpdate(kindOf(DEFINITION), stored, stored)), []);
});

it('a schema that was taken once is taken again; a changed one is judged', () => {
  const old = objectOf(DEFINITION, property({}));
  assert.deepEqual(texts(validateUpdate(kindOf(DEFINITION), old, old)), []);
  const changed = objectOf(DEFINITION, property({ description: 'new' }));
  assert.equal(validateUpdate(kindOf(DEFINITION), changed, old).length, 1);
});
