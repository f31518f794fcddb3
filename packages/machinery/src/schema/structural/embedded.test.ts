import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atOnce } from '@binnacle/base';
import type { SchemaProps } from './props.ts';
import { structuralFindings } from './validate.ts';

const EMBEDDED: SchemaProps = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const of = (properties: { [name: string]: SchemaProps }): SchemaProps => ({ type: 'object', properties });
const LIST = { type: 'array', items: EMBEDDED };
const MAP = { type: 'object', additionalProperties: EMBEDDED };
const RIGHT = { apiVersion: 'v1', kind: 'Pod' };

// Provenance: upstream apiextensions-apiserver, pkg/apiserver/schema/objectmeta.
const ROWS: readonly [name: string, schema: SchemaProps, value: unknown, ...errors: string[]][] = [
  ['a right one without a name', EMBEDDED, { ...RIGHT, metadata: {} }],
  ['one that does not say what it is', EMBEDDED, {}, 'a.apiVersion: Required value', 'a.kind: Required value'],
  [
    'odd words for what it is',
    EMBEDDED,
    { apiVersion: 'a/b/c', kind: 'No_Kind' },
    'a.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    `a.kind: Invalid value: "No_Kind": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
  ],
  [
    'no texts',
    EMBEDDED,
    { apiVersion: 1, kind: '' },
    'a.apiVersion: Invalid value: 1: must be a string',
    'a.kind: Invalid value: "": must not be empty',
  ],
  [
    'metadata as of any object, names but that of a path',
    EMBEDDED,
    { ...RIGHT, metadata: { name: 'Any Name', labels: { 'a b': 'x' } } },
    `a.metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  ],
  ['in a list', LIST, [RIGHT, { kind: 'X' }], 'a[1].apiVersion: Required value'],
  ['in a map', MAP, { constructor: { kind: 'X' } }, 'a[constructor].apiVersion: Required value'],
  ['nowhere', of({ b: { type: 'string' } }), { b: 'x' }],
];

describe('objects inside of objects', () => {
  for (const [name, schema, value, ...errors] of ROWS) {
    it(name, () => assert.deepEqual(atOnce(structuralFindings({ a: value }, of({ a: schema }))).map(String), errors));
  }
});
