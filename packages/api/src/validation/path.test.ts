import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldPath } from './path.ts';

describe('paths of fields', () => {
  const rows: [text: string, path: { toString(): string }][] = [
    ['spec', fieldPath('spec')],
    ['spec.containers[0].name', fieldPath('spec', 'containers').index(0).child('name')],
    ['spec.limits[cpu]', fieldPath('spec').child('limits').key('cpu')],
    ['metadata.labels[a.b/c]', fieldPath('metadata', 'labels').key('a.b/c')],
  ];
  for (const [text, path] of rows) it(text, () => assert.equal(path.toString(), text));
});
