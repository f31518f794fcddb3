/**
 * A device plugin and a driver of claims that run here, and real containers: their devices are counted, given, watched over, and
 * survive their kubelet.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isPodReady, NODES, PODS } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { DevicePluginProcess, Kubectl, OneProcessCluster } from '@binnacle/testkit';
import {
  findKubectl,
  kubectlOutput,
  readPodResources,
  skipWithoutContainerd,
  startContainerdCluster,
  startDevicePlugin,
  waitFor,
} from '@binnacle/testkit';
import { claimsTakenBack, devicesByClaims, devicesForResources, openClaimScene } from './device-claims.ts';
import type { ClaimScene } from './device-claims.ts';
import { IMAGE } from './manifests.ts';

const RESOURCE = 'test.dev/thing';
const NAMESPACE = 'default';
const skip = await skipWithoutContainerd();

let cluster: OneProcessCluster;
let plugin: DevicePluginProcess;
let kubectl: Kubectl;
let kubeletDir: string;
let claims: ClaimScene;

if (skip === false) {
  before(async () => {
    cluster = await startContainerdCluster();
    kubectl = (await findKubectl()) ?? assert.fail('there is a kubectl on this machine');
    kubeletDir = join(cluster.dataDir, 'kubelet');
    const devices = ['a', 'b', 'c'].map((id) => ({ id, isHealthy: id !== 'c' }));
    plugin = await startDevicePlugin({ kubeletDir, resource: RESOURCE, devices });
    claims = await openClaimScene({ cluster, kubectl, kubeletDir });
  });
  after(async () => {
    await plugin.stop();
    await claims.driver.stop();
    await cluster.stop();
  });
}

async function untilCounted(capacity: string, allocatable: string): Promise<void> {
  const until = ([node]: readonly Node[]): boolean =>
    node?.status?.capacity?.[RESOURCE] === capacity && node.status.allocatable?.[RESOURCE] === allocatable;
  await waitFor({ client: cluster.client, resource: NODES, what: `${capacity} devices, ${allocatable} well`, until });
}

async function startPod(name: string, count: number): Promise<void> {
  const resources = { limits: { [RESOURCE]: String(count) } };
  const container = { name: 'c', image: IMAGE, imagePullPolicy: 'Never', command: ['sleep', '3600'], resources };
  await cluster.client.resource(PODS, NAMESPACE).create({
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 1, containers: [container] },
  } as never);
}

async function untilPod(name: string, what: string, until: (pod: Pod | undefined) => boolean): Promise<void> {
  const wait = { client: cluster.client, resource: PODS, namespace: NAMESPACE, name, what: `${name} ${what}` };
  await waitFor({ ...wait, until: ([pod]) => until(pod) });
}

const isReady = (pod: Pod | undefined): boolean => pod !== undefined && isPodReady(pod);

const podResources = async (): Promise<readonly string[]> =>
  (await readPodResources(kubeletDir)).filter((line) => line.includes(RESOURCE));

test('devices are on the Node, as many as are well', { skip }, () => untilCounted('3', '2'));

test(
  'a container gets devices, environment and mounts; the pod resources API tells who has them',
  { skip },
  async () => {
    await startPod('one', 1);
    await untilPod('one', 'to be ready', isReady);
    const script = 'echo $TEST_DEVICES; test -c /dev/test-a && echo device; test -s /from-the-plugin && echo mounted';
    const inside = await kubectlOutput(kubectl, cluster.kubeconfig, ['exec', 'one', '--', 'sh', '-c', script]);
    assert.equal(inside, 'a\ndevice\nmounted\n');
    assert.deepEqual(await podResources(), [`one/c ${RESOURCE} a`]);
    assert.deepEqual(
      plugin.calls.map(({ method }) => method),
      ['Allocate', 'PreStartContainer'],
    );
  },
);

test('devices by claims: of those that share one, and of one of its own', { skip }, () => devicesByClaims(claims));

test('a kubelet that was killed knows who has what; its plugins register anew', { skip }, async () => {
  await cluster.kill();
  await cluster.restart();
  // What the Node says may be of the kubelet before.
  await plugin.untilKnown();
  await untilCounted('3', '2');
  await startPod('two', 1);
  await untilPod('two', 'to be ready', isReady);
  assert.deepEqual(await podResources(), [`one/c ${RESOURCE} a`, `two/c ${RESOURCE} b`]);
});

test('claims are taken back with the last pod that uses them', { skip }, () => claimsTakenBack(claims));

test('devices by a claim stand for an extended resource that no plugin offers', { skip }, () =>
  devicesForResources(claims),
);

test('what was given back is given again; what is unwell is not', { skip }, async () => {
  await cluster.client.resource(PODS, NAMESPACE).delete('one');
  await untilPod('one', 'to go', (pod) => pod === undefined);
  plugin.say([
    { id: 'b', isHealthy: true },
    { id: 'c', isHealthy: true },
  ]);
  await untilCounted('2', '2');
  await startPod('three', 1);
  await untilPod('three', 'to be ready', isReady);
  assert.deepEqual(await podResources(), [`three/c ${RESOURCE} c`, `two/c ${RESOURCE} b`]);
});

test('a pod that was sent here for devices which are gone is rejected, with the reason', { skip }, async () => {
  const { items } = await cluster.client.resource(NODES).list();
  const resources = { limits: { [RESOURCE]: '1' } };
  await cluster.client.resource(PODS, NAMESPACE).create({
    metadata: { name: 'late' },
    spec: { nodeName: items[0]?.metadata.name ?? '', containers: [{ name: 'c', image: IMAGE, resources }] },
  } as never);
  await untilPod('late', 'to be rejected', (pod) => pod?.status?.phase === 'Failed');
  const { status } = await cluster.client.resource(PODS, NAMESPACE).get('late');
  assert.deepEqual(
    [status?.reason, status?.message],
    [
      'UnexpectedAdmissionError',
      `Pod was rejected: Allocate failed due to requested number of devices unavailable for ${RESOURCE}. Requested: 1, Available: 0, which is unexpected`,
    ],
  );
});

test('a plugin that goes leaves its devices unwell', { skip }, async () => {
  await plugin.stop();
  await untilCounted('2', '0');
});
