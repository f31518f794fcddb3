import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { ageRatios } from './scale.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');

function pod(name: string, ageSeconds: number, ready = true): Pod {
  return {
    metadata: { name, creationTimestamp: new Date(NOW - ageSeconds * 1000).toISOString() },
    spec: { containers: [] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const [young, old, older] = [pod('young', 10), pod('old', 25), pod('older', 95)];
const blind = pod('blind', 1, false);

const CASES: readonly (readonly [string, readonly Pod[], readonly Pod[], readonly number[]])[] = [
  ['nobody goes', [young, old], [], []],
  ['all go', [young, old], [young, old], []],
  ['the youngest goes', [young, old], [young], [1]],
  ['older ones go', [young, old, older], [old, older], [2, 9]],
  ['one that is not ready goes, and counts as nobody', [young, blind, old], [blind, old], [2]],
  ['the youngest came this very moment', [pod('new', 0), old], [old], []],
];

for (const [name, pods, gone, expected] of CASES) {
  test(name, () => assert.deepEqual(ageRatios(pods, gone, NOW), expected));
}
