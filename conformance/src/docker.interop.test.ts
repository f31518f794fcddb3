/** The story on a Docker Engine, as a user types it, and what becomes of it when the process is killed. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isPodReady, PODS, REPLICATION_CONTROLLERS, SERVICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import {
  fetchPage,
  findKubectl,
  kubectlOutput,
  skipWithoutDocker,
  startDockerCluster,
  waitFor,
} from '@binnacle/testkit';
import type { DockerCluster } from '@binnacle/testkit';
import { IMAGE, replicationController } from './manifests.ts';

const NAMESPACE = 'default';
const COUNTING = 'i=0; while :; do echo line $i; i=$((i+1)); sleep 0.01; done';
const skip = await skipWithoutDocker();

describe('the story on Docker Engine', { skip }, () => {
  let cluster: DockerCluster;
  let kubectl: (...args: string[]) => Promise<string>;
  before(async () => {
    const found = await findKubectl('1.33').then((wanted) => wanted ?? findKubectl());
    assert.ok(found, 'there is a kubectl on this machine');
    cluster = await startDockerCluster();
    kubectl = (...args) => kubectlOutput(found, cluster.kubeconfig, args);
  });
  after(() => cluster?.stop());

  const podsOf = (labelSelector: string, what: string, until: (pods: readonly Pod[]) => boolean) =>
    waitFor({ client: cluster.client, resource: PODS, namespace: NAMESPACE, labelSelector, what, until });
  const containerOf = (pod: Pod | undefined): string => pod?.status?.containerStatuses?.[0]?.containerID ?? '';

  test('pods answer at their own addresses and at that of their Service; exec tells how a command ended', async () => {
    const { client } = cluster;
    const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] };
    await client.resource(SERVICES, NAMESPACE).create({ metadata: { name: 'web' }, spec });
    await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController('web', 2));
    const pods = await podsOf('app=web', 'two ready pods', (all) => all.length === 2 && all.every(isPodReady));
    for (const pod of pods) assert.match((await fetchPage(pod.status?.podIP ?? '')).body, /It runs\./);
    assert.match(containerOf(pods[0]), /^docker:\/\/[0-9a-f]{64}$/);
    const service = await client.resource(SERVICES, NAMESPACE).get('web');
    const name = pods[0]?.metadata.name ?? '';
    // Its rules are made beside the pods.
    const asked = 'until wget -q -O - http://web.default.svc.cluster.local/; do sleep 0.1; done';
    assert.match(await kubectl('exec', name, '--', 'timeout', '20', 'sh', '-c', asked), /It runs\./);
    assert.match((await fetchPage(service.spec?.clusterIP ?? '')).body, /It runs\./);
    assert.equal((await kubectl('exec', name, '--', 'hostname')).trim(), name);
    await assert.rejects(kubectl('exec', name, '--', 'sh', '-c', 'exit 7'), /exit code 7/);
    await kubectl('delete', 'rc', 'web', '--timeout=60s');
    await podsOf('app=web', 'the pods to go', (all) => all.length === 0);
  });

  test(
    'a killed process comes back to the same containers; of their logs no line is lost or told twice',
    { timeout: 60_000 },
    async () => {
      await cluster.client.resource(PODS, NAMESPACE).create({
        metadata: { name: 'counting', labels: { app: 'counting' } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'main', image: IMAGE, command: ['sh', '-c', COUNTING] }],
        },
      });
      const [before] = await podsOf('app=counting', 'a running pod', ([pod]) => pod !== undefined && isPodReady(pod));
      await cluster.kill();
      await cluster.restart();
      const [again] = await podsOf('app=counting', 'the pod', ([pod]) => pod !== undefined && isPodReady(pod));
      assert.equal(containerOf(again), containerOf(before));
      assert.equal(again?.status?.containerStatuses?.[0]?.restartCount, 0);
      // The pod's status is of before; the node that reads its log is on its way.
      const asks = () => kubectl('logs', 'counting', '--limit-bytes=1').catch(() => '');
      while ((await asks()) === '');
      const logs = await kubectl('logs', 'counting', '-f', '--limit-bytes=3000');
      const numbers = logs.split('\n').flatMap((line) => (/^line \d+$/.test(line) ? [Number(line.slice(5))] : []));
      assert.ok(numbers.length > 100, `${numbers.length} lines`);
      assert.deepEqual(
        numbers.slice(0, -1),
        numbers.slice(0, -1).map((_, i) => i),
      );
    },
  );
});
