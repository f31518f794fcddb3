import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAdmissionConfiguration } from './admission-file.ts';

const HEAD = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' };

test('a document stands in the file or in one of its own', () => {
  const plugins = [
    { name: 'A', configuration: { x: 1 }, path: 'ignored' },
    { name: 'B', path: 'b.yaml' },
    { name: 'C', configuration: null },
  ];
  assert.deepEqual(readAdmissionConfiguration({ ...HEAD, plugins }), [
    { name: 'A', configuration: { x: 1 } },
    { name: 'B', path: 'b.yaml' },
    { name: 'C', path: '' },
  ]);
  assert.deepEqual(readAdmissionConfiguration(HEAD), []);
});

const REFUSED: readonly (readonly [document: unknown, message: string])[] = [
  [[], 'file: expected an object'],
  [{ ...HEAD, kind: 'Other' }, 'expected AdmissionConfiguration of apiserver.config.k8s.io/v1'],
  [{ ...HEAD, color: 1 }, 'strict decoding error: unknown field "color"'],
  [{ ...HEAD, plugins: {} }, 'plugins: expected a list'],
  [{ ...HEAD, plugins: [{}] }, 'plugins[0].name: Required value'],
  [{ ...HEAD, plugins: [{ name: 'A', path: 1 }] }, 'plugins[0].path: expected a string'],
  [{ ...HEAD, plugins: [{ name: 'A', file: 'x' }] }, 'strict decoding error: unknown field "plugins[0].file"'],
  [{ ...HEAD, plugins: [{ name: 'A' }, { name: 'A' }] }, 'plugins: Duplicate value: "A"'],
];

describe('refused', () => {
  for (const [document, message] of REFUSED) {
    test(message, () => assert.throws(() => readAdmissionConfiguration(document), { message }));
  }
});
