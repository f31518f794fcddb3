import assert from 'node:assert/strict';
import test from 'node:test';
import type { ObjectMeta } from '../generated/meta-v1.ts';
import * as status from '../status-error.ts';
import { FIELD_ERRORS_MAX } from './field.ts';
import { dnsLabelErrors, subdomainErrors } from './names.ts';
import { validateAnnotations, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const RULES = { namespaced: true, nameCheck: subdomainErrors };
const GOOD: ObjectMeta = { name: 'a', namespace: 'default' };
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

// Provenance: pkg/api/validation and pkg/apis/meta/v1/validation of upstream's apimachinery.
const CREATED: [name: string, meta: ObjectMeta, errors: string[]][] = [
  ['good metadata', { ...GOOD, labels: { 'a.b/c': 'd' }, finalizers: ['x/y'] }, []],
  ['no name', { namespace: 'default' }, ['metadata.name: Required value: name or generateName is required']],
  [
    'bad name',
    { name: 'A_b', namespace: 'default' },
    [
      `metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
  ],
  ['a prefix may end with a dash', { ...GOOD, generateName: 'web-' }, []],
  ['no namespace', { name: 'a' }, ['metadata.namespace: Required value']],
  ['bad label key', { ...GOOD, labels: { 'a b': 'c' } }, [`metadata.labels: Invalid value: "a b": ${QUALIFIED}`]],
  [
    'bad label value',
    { ...GOOD, labels: { a: '-' } },
    [
      `metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ],
  [
    'too many annotations',
    { ...GOOD, annotations: { a: 'x'.repeat(262144) } },
    ['metadata.annotations: Too long: may not be more than 262144 bytes'],
  ],
  [
    'owner without kind',
    { ...GOOD, ownerReferences: [{ apiVersion: 'v1', kind: '', name: 'x', uid: 'u' }] },
    ['metadata.ownerReferences.kind: Invalid value: "": must not be empty'],
  ],
  [
    'owner of no version',
    { ...GOOD, ownerReferences: [{ apiVersion: 'a.io/v1/x', kind: 'X', name: 'x', uid: 'u' }] },
    ['metadata.ownerReferences.apiVersion: Invalid value: "a.io/v1/x": version must not be empty'],
  ],
  [
    'both finalizers of deletion',
    { ...GOOD, finalizers: ['orphan', 'foregroundDeletion'] },
    [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
  ],
];
for (const [name, meta, errors] of CREATED) {
  test(`create: ${name}`, () => assert.deepEqual(validateObjectMeta(meta, RULES).map(String), errors));
}

test('create: a namespace on a cluster-wide kind', () => {
  const errors = validateObjectMeta(GOOD, { namespaced: false, nameCheck: dnsLabelErrors });
  assert.deepEqual(errors.map(String), ['metadata.namespace: Forbidden: not allowed on this type']);
});

const BEFORE: ObjectMeta = { ...GOOD, uid: 'u', resourceVersion: '1', generation: 2 };
const UPDATED: [name: string, meta: ObjectMeta, before: ObjectMeta, errors: string[]][] = [
  ['no change', BEFORE, BEFORE, []],
  [
    'no resource version',
    { ...BEFORE, resourceVersion: '' },
    BEFORE,
    ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
  ],
  ['another name', { ...BEFORE, name: 'b' }, BEFORE, ['metadata.name: Invalid value: "b": field is immutable']],
  [
    'older generation',
    { ...BEFORE, generation: 1 },
    BEFORE,
    ['metadata.generation: Invalid value: 1: must not be decremented'],
  ],
  [
    'a finalizer after deletion',
    { ...BEFORE, deletionTimestamp: 't', finalizers: ['a/b', 'c/d'] },
    { ...BEFORE, deletionTimestamp: 't', finalizers: ['a/b'] },
    [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}',
    ],
  ],
];
for (const [name, meta, before, errors] of UPDATED) {
  test(`update: ${name}`, () => assert.deepEqual(validateObjectMetaUpdate(meta, before).map(String), errors));
}

test('the Status of invalid fields joins distinct messages and keeps all causes', () => {
  const [error] = validateObjectMeta({ namespace: 'default' }, RULES);
  assert.ok(error);
  const failure = status.invalid({ group: 'apps', kind: 'Deployment' }, 'x', [error, error]).status;
  assert.equal(
    failure.message,
    'Deployment.apps "x" is invalid: metadata.name: Required value: name or generateName is required',
  );
  assert.equal(failure.details?.causes?.length, 2);
  assert.deepEqual(failure.details?.causes?.[0], {
    reason: 'FieldValueRequired',
    message: 'Required value: name or generateName is required',
    field: 'metadata.name',
  });
});

const TOO_LONG = 'a: Too long: may not be more than 262144 bytes';
const ANNOTATIONS: readonly [
  name: string,
  annotations: { readonly [key: string]: string } | undefined,
  errors: readonly string[],
][] = [
  ['none', undefined, []],
  ['keys in any case', { 'Example.COM/Key': '' }, []],
  ['values of any text', { a: '\u0000 \n☃' }, []],
  ['a key of a prototype', { constructor: 'x' }, []],
  [
    '__proto__ begins with no letter',
    JSON.parse('{"__proto__":"x"}') as { [key: string]: string },
    [`a: Invalid value: "__proto__": ${QUALIFIED}`],
  ],
  [
    'an empty key',
    { '': 'x' },
    ['a: Invalid value: "": name part must be non-empty', `a: Invalid value: "": ${QUALIFIED}`],
  ],
  [
    'each key with each of its mistakes',
    { 'a/b/c': '', 'x y': '' },
    [
      `a: Invalid value: "a/b/c": a qualified name must consist of alphanumeric characters`,
      `a: Invalid value: "x y": ${QUALIFIED}`,
    ],
  ],
  ['just as many bytes as there may be', { ab: 'x'.repeat(262_142) }, []],
  ['one more', { ab: 'x'.repeat(262_143) }, [TOO_LONG]],
  ['over several, keys too', { abc: 'x'.repeat(131_072), bcd: 'x'.repeat(131_067) }, [TOO_LONG]],
  ['bytes and not characters', { a: '☃'.repeat(87_382) }, [TOO_LONG]],
  ['as many characters of more bytes', { a: '☃'.repeat(87_381) }, []],
];
for (const [name, annotations, errors] of ANNOTATIONS)
  test(`annotations: ${name}`, () => {
    const found = validateAnnotations(annotations, 'a').map(String);
    assert.equal(found.length, errors.length, found.join());
    for (const [i, error] of errors.entries()) assert.ok(found[i]?.startsWith(error), found[i]);
  });
test('annotations: twenty thousand bad keys are not all told', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`bad ${n}`, '']));
  assert.ok(validateAnnotations(many, 'a').length <= FIELD_ERRORS_MAX);
});
