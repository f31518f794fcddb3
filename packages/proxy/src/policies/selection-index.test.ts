import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSelector } from '@binnacle/machinery';
import { isPlain } from './selection-index.ts';
import { selectAcross, selectInNamespace } from './selection.ts';

const APP: LabelSelector = { matchLabels: { app: 'a' } };
const ROWS: readonly (readonly [namespaces: LabelSelector | undefined, pods: LabelSelector, wanted: boolean])[] = [
  [undefined, APP, true],
  [{}, APP, true],
  [APP, {}, true],
  [APP, APP, false],
  [undefined, {}, false],
  [undefined, { matchExpressions: [{ key: 'app', operator: 'In', values: ['a'] }] }, true],
  [undefined, { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] }, false],
  [undefined, { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] }, false],
  [undefined, { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, false],
];

for (const [namespaces, pods, wanted] of ROWS) {
  test(`by one value of one label: namespaces ${JSON.stringify(namespaces)}, pods ${JSON.stringify(pods)}`, () => {
    const selection = namespaces === undefined ? selectInNamespace('x', pods) : selectAcross(namespaces, pods);
    assert.equal(isPlain(selection), wanted);
  });
}
