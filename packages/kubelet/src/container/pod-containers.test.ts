import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPod } from '../testing/node.ts';
import { allContainers } from './pod-containers.ts';

test('containers in the order in which they begin', () => {
  const pod = testPod({ spec: { initContainers: [{ name: 'i' }], ephemeralContainers: [{ name: 'e' }] } });
  assert.deepEqual(
    allContainers(pod).map((c) => c.name),
    ['i', 'main', 'e'],
  );
});
