/** A claim outlives its deletion for as long as a pod has it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSISTENT_VOLUME_CLAIMS } from '@binnacle/api';
import { harnesses, waitFor } from '@binnacle/testkit';

for (const harness of harnesses.slice(0, 1)) {
  test(`a claim that nobody uses goes when it is deleted, on ${harness.name}`, async () => {
    const cluster = await harness.start({ runtime: 'simulated', nodes: 1 });
    try {
      const { client } = cluster;
      const claims = client.resource(PERSISTENT_VOLUME_CLAIMS, 'default');
      const made = await claims.create({
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      });
      assert.deepEqual(made.metadata.finalizers, ['kubernetes.io/pvc-protection']);
      await claims.delete('data');
      await waitFor({
        client,
        resource: PERSISTENT_VOLUME_CLAIMS,
        namespace: 'default',
        what: 'the claim to be gone',
        until: (all) => all.length === 0,
      });
    } finally {
      await cluster.stop();
    }
  });
}
