import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { readYaml, yamlOf } from './yaml-text.ts';

const OBJECT = { kind: 'Pod', metadata: { name: 'a', managedFields: [{}] } };

test('managed fields only when asked for', () => {
  equal(yamlOf(OBJECT), 'kind: Pod\nmetadata:\n  name: a\n');
  equal(yamlOf(OBJECT, { managedFields: true }).includes('managedFields'), true);
});

test('what is written is read; what is none is refused', () => {
  deepEqual(readYaml('a: 1'), { a: 1 });
  for (const text of ['', '1', '- a', 'a: [']) throws(() => readYaml(text), text);
});
