/** Claims for devices, by a driver that runs here, and real containers. */
import assert from 'node:assert/strict';
import { isPodReady, DEVICE_CLASSES, NODES, PODS, RESOURCE_CLAIMS, RESOURCE_CLAIM_TEMPLATES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { ClaimDriverProcess, Kubectl, OneProcessCluster } from '@binnacle/testkit';
import { kubectlOutput, readPodResources, startClaimDriver, waitFor } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const NAMESPACE = 'default';

/** What these stories are told with. */
export interface ClaimScene {
  readonly cluster: OneProcessCluster;
  readonly kubectl: Kubectl;
  readonly kubeletDir: string;
  readonly driver: ClaimDriverProcess;
  readonly name: string;
}

/** A driver with two devices, a class of them, a claim that pods may share, and a template for those that must not. */
export async function openClaimScene(of: Omit<ClaimScene, 'driver' | 'name'>): Promise<ClaimScene> {
  const { client } = of.cluster;
  // Its files lie beside those of everybody else on this machine.
  const name = `d${process.pid}.test.binnacle.dev`;
  const nodeName = (await client.resource(NODES).list()).items[0]?.metadata.name ?? '';
  const driver = await startClaimDriver({ ...of, name, nodeName, devices: ['a', 'b'], client });
  const cel = { expression: `device.driver == "${name}"` };
  await client.resource(DEVICE_CLASSES).create({ metadata: { name: 'nulls' }, spec: { selectors: [{ cel }] } });
  const spec = { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'nulls' } }] } };
  await client.resource(RESOURCE_CLAIMS, NAMESPACE).create({ metadata: { name: 'shared' }, spec } as never);
  const template = { metadata: { name: 'each' }, spec: { metadata: {}, spec } };
  await client.resource(RESOURCE_CLAIM_TEMPLATES, NAMESPACE).create(template as never);
  return { ...of, driver, name };
}

async function startPod({ cluster }: ClaimScene, name: string, claim: object): Promise<void> {
  const resources = { claims: [{ name: 'null', request: 'one' }] };
  const container = { name: 'c', image: IMAGE, imagePullPolicy: 'Never', command: ['sleep', '3600'], resources };
  const containers = [container, { ...container, name: 'without', resources: {} }];
  await cluster.client.resource(PODS, NAMESPACE).create({
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 1, resourceClaims: [{ name: 'null', ...claim }], containers },
  } as never);
}

async function untilPod(scene: ClaimScene, name: string, is: (pod: Pod | undefined) => boolean): Promise<void> {
  const { client } = scene.cluster;
  const wait = { client, resource: PODS, namespace: NAMESPACE, name, what: `${name} to be so` };
  await waitFor({ ...wait, until: ([pod]) => is(pod) });
}

const isReady = (pod: Pod | undefined): boolean => pod !== undefined && isPodReady(pod);

const inside = ({ kubectl, cluster }: ClaimScene, pod: string, container: string): Promise<string> => {
  const script = 'env | grep ^CLAIMED_ | sort; ls /dev | grep claimed; test -s /from-the-driver && echo mounted; true';
  return kubectlOutput(kubectl, cluster.kubeconfig, ['exec', pod, '-c', container, '--', 'sh', '-c', script]);
};

/** Two pods share a claim, a third has one of its own: who names it gets the device, and nobody else. */
export async function devicesByClaims(scene: ClaimScene): Promise<void> {
  await startPod(scene, 'claim-one', { resourceClaimName: 'shared' });
  await untilPod(scene, 'claim-one', isReady);
  await startPod(scene, 'claim-two', { resourceClaimName: 'shared' });
  await startPod(scene, 'claim-own', { resourceClaimTemplateName: 'each' });
  for (const name of ['claim-two', 'claim-own']) await untilPod(scene, name, isReady);
  assert.equal(await inside(scene, 'claim-one', 'c'), 'CLAIMED_A=shared\nclaimed-a\nmounted\n');
  assert.equal(await inside(scene, 'claim-two', 'c'), 'CLAIMED_A=shared\nclaimed-a\nmounted\n');
  assert.equal(await inside(scene, 'claim-one', 'without'), '');
  assert.match(await inside(scene, 'claim-own', 'c'), /^CLAIMED_B=claim-own-null-\w+\nclaimed-b\nmounted\n$/);
  assert.deepEqual(
    scene.driver.calls.map((call) => call.replace(/-\w{5}$/, '')),
    ['prepare shared', 'prepare claim-own-null'],
  );
  const told = (await readPodResources(scene.kubeletDir)).filter((line) => line.startsWith('claim-'));
  assert.deepEqual(
    told.map((line) => line.replace(/-\w{5} /, ' ')),
    ['claim-one/c shared a', 'claim-own/c claim-own-null b', 'claim-two/c shared a'],
  );
}

/** A kubelet that was killed meanwhile takes back what the one before it prepared, with the last pod that uses it. */
export async function claimsTakenBack(scene: ClaimScene): Promise<void> {
  const pods = scene.cluster.client.resource(PODS, NAMESPACE);
  await pods.delete('claim-one');
  await pods.delete('claim-own');
  for (const name of ['claim-one', 'claim-own']) await untilPod(scene, name, (pod) => pod === undefined);
  const back = (): readonly string[] => scene.driver.calls.filter((call) => call.startsWith('unprepare'));
  assert.deepEqual(back().length, 1);
  await pods.delete('claim-two');
  await untilPod(scene, 'claim-two', (pod) => pod === undefined);
  assert.deepEqual([back().length, back()[1], scene.driver.files()], [2, 'unprepare shared', []]);
}

/** Devices stand for an extended resource that no plugin offers: each container has its own, and they go back with the pod. */
export async function devicesForResources(scene: ClaimScene): Promise<void> {
  const { client } = scene.cluster;
  await client.resource(DEVICE_CLASSES).patch('nulls', 'merge', { spec: { extendedResourceName: 'test.dev/null' } });
  const calls = scene.driver.calls.length;
  const limits = { 'test.dev/null': '1' };
  const container = { image: IMAGE, imagePullPolicy: 'Never', command: ['sleep', '3600'], resources: { limits } };
  const containers = [
    { ...container, name: 'one' },
    { ...container, name: 'two' },
    { ...container, name: 'without', resources: {} },
  ];
  const pods = client.resource(PODS, NAMESPACE);
  await pods.create({
    metadata: { name: 'asking' },
    spec: { terminationGracePeriodSeconds: 1, containers },
  } as never);
  await untilPod(scene, 'asking', isReady);
  const has = async (name: string): Promise<string> =>
    (await inside(scene, 'asking', name)).replace(/asking-extended-resources-\w+/, 'CLAIM');
  assert.equal(await has('one'), 'CLAIMED_A=CLAIM\nclaimed-a\nmounted\n');
  assert.equal(await has('two'), 'CLAIMED_B=CLAIM\nclaimed-b\nmounted\n');
  assert.equal(await has('without'), '');
  await pods.delete('asking');
  await untilPod(scene, 'asking', (pod) => pod === undefined);
  assert.deepEqual(
    scene.driver.calls.slice(calls).map((call) => call.replace(/-\w{5}$/, '')),
    ['prepare asking-extended-resources', 'unprepare asking-extended-resources'],
  );
  const wait = { client, resource: RESOURCE_CLAIMS, namespace: NAMESPACE, what: 'the claim to go' };
  const isIts = (name: string | undefined): boolean => name?.startsWith('asking-') === true;
  await waitFor({ ...wait, until: (claims) => !claims.some(({ metadata }) => isIts(metadata.name)) });
}
