import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Node } from '@binnacle/api/core/v1';
import { silentAtMs } from './health.ts';

const CREATED = Date.UTC(2026, 0, 1);
const node = (reported: boolean): Node => ({
  metadata: { creationTimestamp: new Date(CREATED).toISOString() },
  spec: {},
  status: { conditions: reported ? [{ type: 'Ready', status: 'True' }] : [] },
});
const short = { monitorGraceMs: 5000, startupGraceMs: 7000 };

for (const [name, reported, heardMs, patience, expected] of [
  ['after its last word', true, CREATED + 1000, undefined, CREATED + 51_000],
  ['after its last word, as asked for', true, CREATED + 1000, short, CREATED + 6000],
  ['from its creation', false, CREATED + 1000, undefined, CREATED + 60_000],
  ['from its creation, as asked for', false, undefined, short, CREATED + 7000],
] as const) {
  test(`a node is silent for too long: ${name}`, () => {
    assert.equal(silentAtMs(node(reported), heardMs, patience), expected);
  });
}
