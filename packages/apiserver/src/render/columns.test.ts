import assert from 'node:assert/strict';
import { test } from 'node:test';
import { between, labelsText, listed, orNone, since } from './columns.ts';

const NOW = Date.UTC(2026, 0, 1);

test('what is not there is said to be not there', () => {
  assert.deepEqual([listed([]), orNone(''), orNone(null), labelsText(undefined)], Array(4).fill('<none>'));
  assert.deepEqual([since(undefined, NOW), since(null, NOW)], ['<unknown>', '<unknown>']);
});

test('labels come in the order of their keys', () => {
  assert.equal(labelsText({ b: '1', a: '2' }), 'a=2,b=1');
});

test('a duration ends now where it has no end', () => {
  assert.equal(between('2025-12-31T23:00:00Z', '2025-12-31T23:00:30Z', NOW), '30s');
  assert.equal(between('2025-12-31T23:00:00Z', undefined, NOW), '60m');
});
