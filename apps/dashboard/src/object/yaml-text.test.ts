import { deepEqual, equal, match, throws } from 'node:assert/strict';
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

test('strings of megabytes are written, and read as they were', () => {
  const data = { lines: 'line <b>\n'.repeat(500_000), flat: '"\\'.repeat(500_000), short: 'a\nb\n' };
  const text = yamlOf({ kind: 'ConfigMap', data });
  match(text, /short: \|\n {4}a\n {4}b\n/);
  deepEqual(readYaml(text), { kind: 'ConfigMap', data });
});
