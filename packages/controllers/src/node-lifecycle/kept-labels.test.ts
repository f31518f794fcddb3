import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { labelsToKeep } from './kept-labels.ts';

test('the old names of a node’s labels say what the new ones say', () => {
  const of = (labels?: { [label: string]: string }): unknown =>
    labelsToKeep({ metadata: labels === undefined ? {} : { labels }, spec: {} });
  assert.deepEqual(
    [
      of(),
      of({ 'beta.kubernetes.io/os': 'linux' }),
      of({ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' }),
      of({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'plan9' }),
      of({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' }),
    ],
    [
      undefined,
      undefined,
      { 'beta.kubernetes.io/os': 'linux', 'beta.kubernetes.io/arch': 'arm64' },
      { 'beta.kubernetes.io/os': 'linux' },
      undefined,
    ],
  );
});
