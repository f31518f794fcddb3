/** The story on real containers, as a user types it: kubectl, an image from a file, addresses that answer. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DEPLOYMENTS, EVENTS, isPodReady, NAMESPACES, PODS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import {
  containerPids,
  fetchPage,
  findKubectl,
  killContainer,
  kubectlOutput,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import { deployment, replicationController } from './manifests.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/frontend-controller.yaml', import.meta.url));
const NAMESPACE = 'default';
const skip = await skipWithoutContainerd();

const containerIdOf = (pod: Pod | undefined): string => pod?.status?.containerStatuses?.[0]?.containerID ?? '';
const restartsOf = (pod: Pod | undefined): number => pod?.status?.containerStatuses?.[0]?.restartCount ?? -1;

describe('the story on containerd', { skip, concurrency: 3 }, () => {
  let cluster: OneProcessCluster;
  let client: Client;
  let kubectl: (...args: string[]) => Promise<string>;
  before(async () => {
    const found = await findKubectl('1.33').then((wanted) => wanted ?? findKubectl());
    assert.ok(found, 'there is a kubectl on this machine');
    cluster = await startContainerdCluster();
    client = cluster.client;
    kubectl = (...args) => kubectlOutput(found, cluster.kubeconfig, args);
  });
  after(() => cluster?.stop());

  const podsOf = (app: string, what: string, until: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> =>
    waitFor({ client, resource: PODS, namespace: NAMESPACE, labelSelector: `app=${app}`, what, until });
  const ready =
    (count: number) =>
    (pods: readonly Pod[]): boolean =>
      pods.length === count && pods.every((p) => isPodReady(p) && p.metadata.deletionTimestamp === undefined);
  const createReady = async (app: string, count: number): Promise<readonly Pod[]> => {
    await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController(app, count));
    return podsOf(app, `${count} ready pods of ${app}`, ready(count));
  };

  test('create -f: three pods Running, Ready, with addresses that answer; scale; delete a pod', async () => {
    await kubectl('create', '-f', EXAMPLE);
    await kubectl('wait', '--for=jsonpath={.status.readyReplicas}=3', 'rc/frontend', '--timeout=30s');
    const table = await kubectl('get', 'pods', '-l', 'tier=frontend', '-o', 'wide', '--no-headers');
    const rows = table.trim().split('\n');
    const node = (await kubectl('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}')).trim();
    assert.equal(rows.length, 3);
    for (const row of rows) {
      const [name = '', isReady, phase, restarts, , ip = '', nodeName] = row.split(/\s+/);
      assert.match(name, /^frontend-[a-z0-9]{5}$/);
      assert.deepEqual([isReady, phase, restarts, nodeName], ['1/1', 'Running', '0', node]);
      const page = await fetchPage(ip);
      assert.equal(page.code, 200);
      assert.match(page.body, /It runs\./);
    }
    await kubectl('scale', 'rc/frontend', '--replicas=5');
    await kubectl('wait', '--for=jsonpath={.status.readyReplicas}=5', 'rc/frontend', '--timeout=30s');
    await kubectl('scale', 'rc/frontend', '--replicas=2');
    const [victim] = await podsOf('guestbook', 'two pods', ready(2));
    await kubectl('delete', 'pod', victim?.metadata.name ?? '');
    const left = await podsOf('guestbook', 'a replacement', ready(2));
    assert.ok(!left.some((p) => p.metadata.uid === victim?.metadata.uid));
    await kubectl('delete', 'rc', 'frontend', '--timeout=30s');
    await podsOf('guestbook', 'the pods to go', (all) => all.length === 0);
  });

  test('a killed process is restarted at once, killed again only after the back-off', async () => {
    const [first] = await createReady('crashing', 1);
    killContainer(containerIdOf(first));
    const [second] = await podsOf(
      'crashing',
      'the first restart',
      (all) => isPodReady(all[0] as Pod) && restartsOf(all[0]) === 1,
    );
    assert.notEqual(containerIdOf(second), containerIdOf(first));
    assert.equal(second?.metadata.uid, first?.metadata.uid, 'the pod stays, its container is another');
    assert.equal(second?.status?.podIP, first?.status?.podIP);
    const terminated = second?.status?.containerStatuses?.[0]?.lastState?.terminated;
    assert.deepEqual([terminated?.exitCode, terminated?.reason], [137, 'Error']);

    killContainer(containerIdOf(second));
    const killedAt = performance.now();
    const [waiting] = await podsOf(
      'crashing',
      'the back-off',
      (all) => all[0]?.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff',
    );
    assert.match(
      waiting?.status?.containerStatuses?.[0]?.state?.waiting?.message ?? '',
      /^back-off 10s restarting failed container=web pod=crashing-\w{5}_default\([0-9a-f-]{36}\)$/,
    );
    assert.ok(!isPodReady(waiting as Pod));
    await waitFor({
      client,
      resource: EVENTS,
      namespace: NAMESPACE,
      what: 'the BackOff event',
      until: (all) => all.some((e) => e.reason === 'BackOff' && e.involvedObject.uid === first?.metadata.uid),
    });
    await podsOf('crashing', 'the second restart', (all) => isPodReady(all[0] as Pod) && restartsOf(all[0]) === 2);
    const waitedMs = performance.now() - killedAt;
    assert.ok(waitedMs > 9000 && waitedMs < 20_000, `restarted after ${waitedMs} ms`);
    await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).delete('crashing', { propagationPolicy: 'Background' });
  });

  test('deleting the replication controller with and without its pods', async () => {
    const before = await createReady('orphaned', 2);
    await kubectl('delete', 'rc', 'orphaned', '--cascade=orphan');
    const orphans = await podsOf('orphaned', 'orphans', (all) => all.every((p) => !p.metadata.ownerReferences?.length));
    assert.deepEqual(orphans.map(containerIdOf).sort(), before.map(containerIdOf).sort());
    for (const pod of orphans) assert.equal((await fetchPage(pod.status?.podIP ?? '')).code, 200);
    // A controller of the same selector adopts them; with it they go.
    await createReady('orphaned', 2);
    await kubectl('delete', 'rc', 'orphaned', '--cascade=background');
    await podsOf('orphaned', 'the pods to go', (all) => all.length === 0);
  });

  test('a deployment rolls to a new template and back', async () => {
    await client.resource(DEPLOYMENTS, NAMESPACE).create(deployment('rolled', 2));
    await kubectl('rollout', 'status', 'deployment/rolled', '--timeout=30s');
    await kubectl('set', 'env', 'deployment/rolled', 'VERSION=2');
    await kubectl('rollout', 'status', 'deployment/rolled', '--timeout=30s');
    const pods = await podsOf('rolled', 'two new pods', ready(2));
    for (const pod of pods) assert.equal(pod.spec.containers[0]?.env?.[0]?.value, '2');
    await kubectl('rollout', 'undo', 'deployment/rolled');
    await kubectl('rollout', 'status', 'deployment/rolled', '--timeout=30s');
    const old = await podsOf('rolled', 'two old pods', ready(2));
    for (const pod of old) assert.equal(pod.spec.containers[0]?.env, undefined);
    await kubectl('delete', 'deployment', 'rolled');
  });

  test('a namespace goes with its running containers', async () => {
    await kubectl('create', 'namespace', 'doomed');
    await client.resource(REPLICATION_CONTROLLERS, 'doomed').create(replicationController('inside', 2));
    const pods = await waitFor({ client, resource: PODS, namespace: 'doomed', what: 'pods inside', until: ready(2) });
    await kubectl('delete', 'namespace', 'doomed', '--timeout=60s');
    assert.ok(!(await client.resource(NAMESPACES).list()).items.some((n) => n.metadata.name === 'doomed'));
    for (const pod of pods) assert.deepEqual(containerPids(containerIdOf(pod)), []);
  });
});
