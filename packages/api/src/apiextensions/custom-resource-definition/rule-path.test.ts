import assert from 'node:assert/strict';
import test from 'node:test';
import { readRulePath } from './rule-path.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { 'a.b': { type: 'string' }, labels: { type: 'object', additionalProperties: { type: 'string' } } },
    },
  },
};

const ROWS: readonly (readonly [path: string, shown: string | undefined])[] = [
  ['.spec', 'spec'],
  [".spec['a.b']", 'spec.a.b'],
  [".spec.labels['it\\'s']", "spec.labels[it's]"],
  ['.spec.labels.x', 'spec.labels[x]'],
  ['.spec.nope', undefined],
  ['.constructor', undefined],
  ['spec', undefined],
  ['.spec[0]', undefined],
  ['', undefined],
];

for (const [path, shown] of ROWS) test(`reads ${path}`, () => assert.equal(readRulePath(path, SCHEMA), shown));
