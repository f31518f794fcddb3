import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { formFields, schemaPath, withValue } from './form-fields.ts';

const OBJECT = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', ports: [80] }], on: true },
};

test('the plain values of an object are a form', () => {
  deepEqual(
    formFields(OBJECT).map(({ label, value }) => `${label}=${value}`),
    ['metadata.name=p', 'spec.containers.0.name=c', 'spec.containers.0.ports.0=80', 'spec.on=true'],
  );
  equal(formFields(Array.from({ length: 1000 }, () => 1)).length, 60);
  deepEqual(schemaPath(['a', 0, 'b']), ['a', '[]', 'b']);
});

test('a value is written into a copy, in its place', () => {
  const changed = withValue(OBJECT, ['spec', 'containers', 0, 'name'], 'd');
  deepEqual(changed, { ...OBJECT, spec: { containers: [{ name: 'd', ports: [80] }], on: true } });
  deepEqual(Object.keys(changed as object), Object.keys(OBJECT));
  equal(OBJECT.spec.containers[0]?.name, 'c');
  deepEqual(withValue({}, ['__proto__', 'x'], 1), JSON.parse('{"__proto__":{"x":1}}'));
  equal(Object.hasOwn(Object.prototype, 'x'), false);
});

test('what is empty or nothing has no field, and keeps its place when another is written', () => {
  const sparse = { spec: { a: null, b: {}, c: [], d: '', e: 0, f: false } };
  deepEqual(
    formFields(sparse).map(({ label, value }) => [label, value]),
    [
      ['spec.d', ''],
      ['spec.e', 0],
      ['spec.f', false],
    ],
  );
  deepEqual(withValue(sparse, ['spec', 'e'], 5), { spec: { ...sparse.spec, e: 5 } });
});

test('what the page says itself is asked below the top only', () => {
  const nested = { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'Pod' }] };
  deepEqual(
    formFields(nested).map(({ label }) => label),
    ['items.0.apiVersion', 'items.0.kind'],
  );
});
