import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

test('a kind that nothing acts upon yet says so to who creates it', async () => {
  const { ask } = await startTestServer();
  const made = await ask('POST /apis/networking.k8s.io/v1/namespaces/default/networkpolicies', {
    metadata: { name: 'closed' },
    spec: { podSelector: {} },
  });
  assert.deepEqual(
    [made.code, made.warnings],
    [201, ['the policy is stored, and traffic is not held back by it: see "not yet" in the README of Binnacle']],
  );
});
