import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { isVolumeName } from './names.ts';

for (const [name, expected] of [
  ['pvc-01234567-89ab-cdef-0123-456789abcdef', true],
  ['pvc-01234567-89AB-cdef-0123-456789abcdef', false],
  ['pvc-../../etc', false],
  ['pvc-01234567-89ab-cdef-0123-456789abcdef/..', false],
  ['constructor', false],
] as const) {
  test(`a name of ours: ${name}`, () => assert.equal(isVolumeName(name), expected));
}
