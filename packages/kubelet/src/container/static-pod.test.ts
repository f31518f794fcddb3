import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPod } from '../testing/node.ts';
import { isStatic } from './static-pod.ts';

const rows: readonly [string, { [key: string]: string }, boolean][] = [
  ['an object of the API', {}, false],
  ['that says so', { 'kubernetes.io/config.source': 'api' }, false],
  ['a file', { 'kubernetes.io/config.source': 'file' }, true],
  ['the mirror of a file', { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.mirror': 'x' }, false],
];

for (const [name, annotations, wanted] of rows)
  test(`static: ${name}`, () => assert.equal(isStatic(testPod({ metadata: { annotations } })), wanted));
