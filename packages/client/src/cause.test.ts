import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observedCause, timedCause } from './cause.ts';

test('what was seen leads back to the request that made it', () => {
  const pod = { metadata: { namespace: 'a', name: 'p', resourceVersion: '17' } };
  assert.deepEqual(observedCause('kubelet n1', pod, 'status of a/p'), {
    id: 'kubelet n1/a/p@17',
    component: 'kubelet n1',
    request: 'status of a/p',
    revision: '17',
  });
  assert.equal('revision' in observedCause('c', { metadata: { name: 'n' } }, 'r'), false);
});

test('a timer leads back to nothing', () => {
  assert.deepEqual(timedCause('kubelet n1', 'heartbeat'), {
    id: 'kubelet n1/heartbeat',
    component: 'kubelet n1',
    request: 'heartbeat',
  });
});
