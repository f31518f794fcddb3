import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

test('a kind that nothing acts upon yet says so to who creates it', async () => {
  const { ask } = await startTestServer();
  const made = await ask('POST /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
    metadata: { name: 'strict' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
      },
      validations: [{ expression: 'true' }],
    },
  });
  assert.deepEqual(
    [made.code, made.warnings],
    [201, ['the policy is stored and not evaluated: see "not yet" in the README of Binnacle']],
  );
});
