import assert from 'node:assert/strict';
import test from 'node:test';
import { schemas } from '@binnacle/api';
import { descriptionOf } from './descriptions.ts';

const ROWS: readonly (readonly [
  what: string,
  struct: string,
  field: string,
  isObject: boolean,
  text: RegExp | undefined,
])[] = [
  ['of every object', 'core.v1.Pod', 'apiVersion', true, /^APIVersion defines/],
  ['of its metadata', 'core.v1.Pod', 'metadata', true, /^Standard object's metadata/],
  ['of when it was made', 'meta.v1.ObjectMeta', 'creationTimestamp', false, /^CreationTimestamp is a timestamp/],
  ['of a field that only some have', 'core.v1.Pod', 'spec', true, undefined],
  ['of a kind that is another field', 'core.v1.ObjectReference', 'kind', false, undefined],
  ['of a name of Object', 'constructor', 'constructor', true, undefined],
];
for (const [what, struct, field, isObject, text] of ROWS) {
  test(`what is said ${what}`, () => {
    const { description } = descriptionOf(struct, field, isObject);
    if (text === undefined) assert.equal(description, undefined);
    else assert.match(String(description), text);
  });
}

test('every field of the metadata is described', () => {
  const fields = Object.keys(schemas.struct('meta.v1.ObjectMeta')?.fields ?? {});
  assert.ok(fields.length > 10);
  for (const field of fields) {
    assert.ok(descriptionOf('meta.v1.ObjectMeta', field, false)['description'] !== undefined, field);
  }
});
