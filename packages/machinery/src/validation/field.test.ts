import assert from 'node:assert/strict';
import test from 'node:test';
import type { FieldError } from '../status-error.ts';
import * as field from './field.ts';

// Provenance: pkg/util/validation/field of upstream's apimachinery.
const TEXTS: [FieldError, string][] = [
  [field.required('spec.containers[0].name'), 'spec.containers[0].name: Required value'],
  [field.invalid('a', 'x"y', 'no'), 'a: Invalid value: "x\\"y": no'],
  [field.invalid('a', 5, 'no'), 'a: Invalid value: 5: no'],
  [field.invalid('a', true, 'no'), 'a: Invalid value: true: no'],
  [field.invalid('a', undefined, 'no'), 'a: Invalid value: null: no'],
  [field.invalid('a', { b: '<' }, 'no'), 'a: Invalid value: {"b":"\\u003c"}: no'],
  [field.notSupported('a', 'x', ['p', 'q']), 'a: Unsupported value: "x": supported values: "p", "q"'],
  [field.duplicate('a[0]', 'x'), 'a[0]: Duplicate value: "x"'],
  [field.notFound('a', 'x'), 'a: Not found: "x"'],
  [field.forbidden('a', 'no'), 'a: Forbidden: no'],
  [field.tooLong('a', 63), 'a: Too long: may not be more than 63 bytes'],
  [field.tooLong('a', 1), 'a: Too long: may not be more than 1 byte'],
  [field.tooMany('a', 5, 3), 'a: Too many: 5: must have at most 3 items'],
  [field.tooShort('a', 'x', 2), 'a: Too short: must be at least 2 characters'],
  [field.internalError('a', 'oops'), 'a: Internal error: oops'],
];
for (const [error, text] of TEXTS) test(text, () => assert.equal(error.toString(), text));

test('paths', () => {
  const container = field.index(field.child(field.child('', 'spec'), 'containers'), 0);
  assert.equal(field.child(container, 'name'), 'spec.containers[0].name');
  assert.equal(field.key('data', 'a.b'), 'data[a.b]');
});
