import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentTrace } from '@binnacle/base';
import type { Hop } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import { createStateTale } from './state-tale.ts';

const POD = {
  metadata: { namespace: 'a', name: 'p', uid: 'u', resourceVersion: '7' },
  spec: { containers: [] },
} as Pod;

test('a state that becomes another is told with the version of the pod that was seen', () => {
  const hops: Hop[] = [];
  createStateTale({ on: true, now: () => 5, record: (hop) => void hops.push(hop) }, 'n')(POD, 'waiting', 'syncing');
  assert.deepEqual(
    hops.map(({ component, name, revision, object }) => [component, name, revision, object?.name]),
    [['kubelet n', 'pod worker waiting → syncing', '7', 'p']],
  );
  createStateTale(silentTrace, 'n')(POD, 'waiting', 'syncing');
});
