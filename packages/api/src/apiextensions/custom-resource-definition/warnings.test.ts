import assert from 'node:assert/strict';
import test from 'node:test';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import { definitionWarnings } from './warnings.ts';

const of = (...formats: JSONSchemaProps[]): CustomResourceDefinition => {
  const properties = Object.fromEntries(formats.map((format, at) => [`a${at}`, format]));
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return { spec: { versions: [{ name: 'v1', schema }] } } as unknown as CustomResourceDefinition;
};
const ODD = { type: 'string', format: 'odd' };

test('formats that nobody checks are told once each, wherever they stand', () => {
  const inner = { type: 'array', items: { anyOf: [{ format: 'nope' }] } };
  assert.deepEqual(definitionWarnings(of(ODD, ODD, inner, { type: 'integer', format: 'int16' })), [
    'unrecognized format "odd"',
    'unrecognized format "nope"',
    'unrecognized format "int16"',
  ]);
});

test('formats that are checked, and those that were there before, are no news', () => {
  const known = ['date-time', 'k8s-short-name', 'uuid4'].map((format) => ({ type: 'string', format }));
  assert.deepEqual(definitionWarnings(of(...known, { type: 'number', format: 'double' })), []);
  assert.deepEqual(definitionWarnings(of(ODD), of(ODD)), []);
});
