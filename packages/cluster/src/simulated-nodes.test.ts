import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitingEvents } from './simulated-nodes.ts';

for (const [nodes, expected] of [
  [0, undefined],
  [1, undefined],
  [4, undefined],
  [5, 5000],
  [16, 16_000],
  [40, 16_384],
  [100, 16_384],
  [101, undefined],
  [5000, undefined],
] as const) {
  test(`so many Events of ${nodes} kubelets may wait`, () => assert.equal(waitingEvents(nodes), expected));
}
