import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

test('a kind that nothing acts upon yet says so to who creates it', async () => {
  const { ask } = await startTestServer();
  const made = await ask('POST /apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
    metadata: { name: 'wide' },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
  });
  assert.deepEqual(
    [made.code, made.warnings],
    [201, ['the autoscaler is stored, and nothing scales its target: see "not yet" in the README of Binnacle']],
  );
});
