import assert from 'node:assert/strict';
import test from 'node:test';
import { atOnce } from '@binnacle/base';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import type { SchemaProps } from '@binnacle/machinery/structural';
import { checkDefinition } from './check-definition.ts';

const TEXT: SchemaProps = { type: 'string' };
const INT: SchemaProps = { type: 'integer' };

function definition(spec: object, version = 'v1'): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return { spec: { versions: [{ name: version, schema }] } } as unknown as CustomResourceDefinition;
}

interface Row {
  readonly name: string;
  readonly schema: object;
  /** What each mistake begins with, below the schema of `spec`. */
  readonly errors: readonly string[];
}

function ruled(schema: object, ...rules: readonly object[]): object {
  return { ...schema, 'x-kubernetes-validations': rules };
}

const OBJECT = { type: 'object', properties: { name: TEXT, n: INT, list: { type: 'array', items: TEXT } } };
const HOW_TO =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

const ROWS: readonly Row[] = [
  { name: 'a right rule', schema: ruled(OBJECT, { rule: 'self.n > 1' }), errors: [] },
  {
    name: 'an unknown field',
    schema: ruled(OBJECT, { rule: 'self.nope == 1' }),
    errors: [
      `.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.nope == 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope == 1\n | ....^`,
    ],
  },
  {
    name: 'no truth',
    schema: ruled(OBJECT, { rule: 'self.n' }),
    errors: [
      '.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.n","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ],
  },
  {
    name: 'a message that is no text',
    schema: ruled(OBJECT, { rule: 'true', messageExpression: 'self.n' }),
    errors: [
      '.x-kubernetes-validations[0].messageExpression: Invalid value: {"Rule":"true","Message":"","MessageExpression":"self.n","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string',
    ],
  },
  {
    name: 'an empty rule, a reason and a path that nobody knows',
    schema: ruled(OBJECT, { rule: ' ' }, { rule: 'true', reason: 'Bad', fieldPath: '.nope' }),
    errors: [
      '.x-kubernetes-validations[0].rule: Required value: rule is not specified',
      '.x-kubernetes-validations[1].reason: Unsupported value: "Bad": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      '.x-kubernetes-validations[1].fieldPath: Invalid value: ".nope": must be a valid path',
    ],
  },
  {
    name: 'a list in a list without bounds',
    schema: ruled(OBJECT, { rule: 'self.list.all(x, self.list.all(y, x == y))' }),
    errors: [
      `.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${HOW_TO}`,
      '.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      `^Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${HOW_TO}`,
    ],
  },
  {
    name: 'the same with bounds',
    schema: ruled(
      {
        type: 'object',
        properties: { list: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 20 } } },
      },
      { rule: 'self.list.all(x, self.list.all(y, x == y))' },
    ),
    errors: [],
  },
  {
    name: 'oldSelf where items cannot be told apart',
    schema: {
      type: 'object',
      properties: { list: { type: 'array', maxItems: 5, items: ruled(INT, { rule: 'self == oldSelf' }) } },
    },
    errors: [
      '.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[list]',
    ],
  },
  {
    name: 'optionalOldSelf without oldSelf',
    schema: ruled(OBJECT, { rule: 'self.n > 1', optionalOldSelf: true }),
    errors: [
      '.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
    ],
  },
];

const TOP = 'spec.validation.openAPIV3Schema';

for (const { name, schema, errors } of ROWS) {
  test(name, () => {
    const found = atOnce(checkDefinition(definition(schema), undefined)).map(String);
    const wanted = errors.map((one) =>
      one.startsWith('^') ? `${TOP}: ${one.slice(1)}` : `${TOP}.properties[spec]${one}`,
    );
    assert.deepEqual(found, wanted);
  });
}

test('a schema that did not change is taken as it was', () => {
  const wrong = definition(ruled(OBJECT, { rule: 'self.nope' }));
  assert.equal(atOnce(checkDefinition(wrong, undefined)).length, 1);
  assert.deepEqual(atOnce(checkDefinition(wrong, definition(ruled(OBJECT, { rule: 'self.nope' })))), []);
});

test('versions with schemas of their own are named', () => {
  const [v1, v2] = [definition(OBJECT), definition(ruled(OBJECT, { rule: 'self.nope == 1' }), 'v2')];
  const both = {
    spec: { versions: [...v1.spec.versions, ...v2.spec.versions] },
  } as unknown as CustomResourceDefinition;
  const [error] = atOnce(checkDefinition(both, undefined));
  assert.equal(
    error?.field,
    'spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule',
  );
});
