/**
 * The workload and endpoint controllers against the real API server, each with the rights that upstream's roles give
 * it: everything comes up, and then nothing is written any more.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  JOBS,
  LEASES,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  SERVICES,
  STATEFUL_SETS,
} from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { deepEqual } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { harnesses, waitFor } from '@binnacle/testkit';
import type { TestCluster } from '@binnacle/testkit';

const NAMESPACE = 'default';
const SETTLED: readonly ResourceRef<KubeObject>[] = [
  POD_DISRUPTION_BUDGETS,
  PODS,
  STATEFUL_SETS,
  DAEMON_SETS,
  JOBS,
  CONTROLLER_REVISIONS,
  ENDPOINTS,
  ENDPOINT_SLICES,
  PERSISTENT_VOLUME_CLAIMS,
];
const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image: 'registry.example/app:1', ports: [{ name: 'web', containerPort: 8080 }] }] },
});

async function createAll(client: Client): Promise<void> {
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Mi' } } },
  };
  const selector = (app: string) => ({ matchLabels: { app } });
  await client.resource(SERVICES, NAMESPACE).create({
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'web' }], trafficDistribution: 'PreferClose' },
  });
  await client.resource(STATEFUL_SETS, NAMESPACE).create({
    metadata: { name: 'web' },
    spec: { replicas: 3, serviceName: 'web', selector: selector('web'), template: template('web') },
  });
  await client.resource(STATEFUL_SETS, NAMESPACE).create({
    metadata: { name: 'db' },
    spec: {
      replicas: 1,
      serviceName: 'db',
      selector: selector('db'),
      template: template('db'),
      volumeClaimTemplates: [claim],
    },
  });
  await client.resource(DAEMON_SETS, NAMESPACE).create({
    metadata: { name: 'agent' },
    spec: { selector: selector('agent'), template: template('agent') },
  });
  await client
    .resource(POD_DISRUPTION_BUDGETS, NAMESPACE)
    .create({ metadata: { name: 'web' }, spec: { maxUnavailable: 1, selector: selector('web') } });
  const { metadata, spec } = template('job');
  await client.resource(JOBS, NAMESPACE).create({
    metadata: { name: 'job' },
    spec: {
      completions: 3,
      parallelism: 2,
      completionMode: 'Indexed',
      template: { metadata, spec: { ...spec, restartPolicy: 'Never' } },
    },
  });
}

async function revisions(client: Client): Promise<readonly string[]> {
  const lists = await Promise.all(SETTLED.map((ref) => client.resource(ref, NAMESPACE).list()));
  return lists.flatMap((list, at) =>
    list.items.map(({ metadata }) => `${SETTLED[at]?.resource} ${metadata.name} ${metadata.resourceVersion}`),
  );
}

/** Until a node says again that it lives, which is all that is written in a cluster at rest. */
async function renewal(client: Client): Promise<void> {
  const leases = client.resource(LEASES, 'kube-node-lease');
  const [first] = (await leases.list()).items;
  assert.ok(first?.metadata.name, 'nodes renew leases');
  await waitFor({
    client,
    resource: LEASES,
    namespace: 'kube-node-lease',
    name: first.metadata.name,
    what: 'the node to renew its lease',
    until: ([lease]) => lease?.spec?.renewTime !== first.spec?.renewTime,
  });
}

/** Throws unless all stays as it is from one renewal of a node's lease to the next. */
async function settle(client: Client): Promise<void> {
  let before: readonly string[] = [];
  let after: readonly string[] = [];
  for (let round = 0; round < 4 && (round < 2 || !deepEqual(after, before)); round++) {
    await renewal(client);
    [before, after] = [after, await revisions(client)];
  }
  assert.deepEqual(after, before, 'nothing changes, nothing is written');
}

describe('workload controllers against the real API server', () => {
  for (const harness of harnesses.slice(0, 1)) {
    test(`on ${harness.name}`, async () => {
      const cluster: TestCluster = await harness.start({ runtime: 'simulated', nodes: 2 });
      try {
        const { client } = cluster;
        await createAll(client);
        const on = { client, namespace: NAMESPACE };
        await waitFor({
          ...on,
          resource: STATEFUL_SETS,
          name: 'web',
          what: 'the stateful set to be ready',
          until: ([set]) =>
            set?.status?.readyReplicas === 3 && set.status.currentRevision === set.status.updateRevision,
        });
        await waitFor({
          ...on,
          resource: DAEMON_SETS,
          what: 'the daemon set to be available',
          until: ([set]) => set?.status?.numberAvailable === 2,
        });
        await waitFor({
          ...on,
          resource: ENDPOINT_SLICES,
          labelSelector: 'kubernetes.io/service-name=web',
          what: 'three ready endpoints with a port',
          until: ([slice]) =>
            slice?.endpoints?.filter((one) => one.conditions?.ready).length === 3 && slice.ports?.[0]?.port === 8080,
        });
        await waitFor({
          ...on,
          resource: ENDPOINTS,
          name: 'web',
          what: 'three addresses',
          until: ([endpoints]) => endpoints?.subsets?.[0]?.addresses?.length === 3,
        });
        await waitFor({
          ...on,
          resource: PERSISTENT_VOLUME_CLAIMS,
          what: 'the claim',
          until: ([claim]) => claim?.metadata.name === 'data-db-0',
        });
        await waitFor({
          ...on,
          resource: POD_DISRUPTION_BUDGETS,
          what: 'one disruption to be allowed',
          until: ([budget]) => budget?.status?.disruptionsAllowed === 1 && budget.status.expectedPods === 3,
        });
        // Their node lets the pods of a job end by themselves.
        const [job] = await waitFor({
          ...on,
          resource: JOBS,
          what: 'the job to be complete',
          until: ([one]) => one?.status?.conditions?.some(({ type }) => type === 'Complete') === true,
        });
        assert.equal(job?.status?.completedIndexes, '0-2');
        const warnings = (await client.resource(EVENTS, NAMESPACE).list()).items.filter(
          (event) => event.type === 'Warning' && event.involvedObject.kind !== 'Pod',
        );
        assert.deepEqual(
          warnings.map(({ message }) => message),
          [],
        );
        await settle(client);
      } finally {
        await cluster.stop();
      }
    });
  }
});
