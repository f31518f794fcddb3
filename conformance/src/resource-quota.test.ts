/** What a namespace uses is counted by the controller, and what is over the limit refused by admission. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES, PODS, RESOURCE_QUOTAS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { harnesses, waitFor } from '@binnacle/testkit';

const NAMESPACE = 'limited';

for (const harness of harnesses.slice(0, 1)) {
  test(`a quota fills, refuses, and is free again, on ${harness.name}`, async () => {
    const cluster = await harness.start({ runtime: 'simulated', nodes: 1 });
    try {
      const { client } = cluster;
      const used = (what: string, expected: string) =>
        waitFor({
          client,
          resource: RESOURCE_QUOTAS,
          namespace: NAMESPACE,
          what: `${expected} ${what} to be counted`,
          until: ([quota]) => quota?.status?.used?.[what] === expected,
        });
      const pods = client.resource(PODS, NAMESPACE);
      const create = (name: string) =>
        pods.create({
          metadata: { name },
          spec: {
            containers: [{ name: 'c', image: 'registry.example/app:1', resources: { requests: { cpu: '100m' } } }],
          },
        });
      await client.resource(NAMESPACES).create({ metadata: { name: NAMESPACE }, spec: {} });
      await waitFor({
        client,
        resource: SERVICE_ACCOUNTS,
        namespace: NAMESPACE,
        what: 'the service account',
        until: (all) => all.length === 1,
      });
      const hard = { pods: '1', 'requests.cpu': '1', 'count/configmaps': '5' };
      await client.resource(RESOURCE_QUOTAS, NAMESPACE).create({ metadata: { name: 'q' }, spec: { hard } });
      await used('pods', '0');
      await used('count/configmaps', '1');
      await create('one');
      await used('requests.cpu', '100m');
      await assert.rejects(create('two'), /exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1/);
      await pods.delete('one', { gracePeriodSeconds: 0 });
      await used('pods', '0');
      await create('two');
      await used('pods', '1');
    } finally {
      await cluster.stop();
    }
  });
}
