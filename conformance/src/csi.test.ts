/** A CSI driver that runs here, and real containers: its volumes come to pods and go with them, also across a crash. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import {
  EVENTS,
  CSI_DRIVERS,
  CSI_NODES,
  isPodReady,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTACHMENTS,
  csiAttachmentName,
  csiVolumeName,
} from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { CsiDriverProcess, Kubectl, OneProcessCluster } from '@binnacle/testkit';
import {
  findKubectl,
  kubectlOutput,
  skipWithoutContainerd,
  startContainerdCluster,
  startCsiDriver,
  waitFor,
} from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const NAMESPACE = 'default';
const TOPOLOGY = { 'topology.test/rack': 'r1' };
const skip = await skipWithoutContainerd();

let cluster: OneProcessCluster;
let driver: CsiDriverProcess;
let folder: string;
let kubectl: Kubectl;
let nodeName: string;

const exec = async (pod: string, ...command: string[]): Promise<string> =>
  (await kubectlOutput(kubectl, cluster.kubeconfig, ['exec', pod, '--', ...command])).trim();
const calls = (method: string, handle: string): number =>
  driver.calls.filter((call) => call.method === method && call.request['volume_id'] === handle).length;
const mounts = (): string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes('csi') && line.includes(cluster.dataDir));

async function restartDriver(): Promise<void> {
  await driver?.stop();
  driver = await startCsiDriver({
    kubeletDir: join(cluster.dataDir, 'kubelet'),
    folder,
    volumesMax: 7,
    topology: TOPOLOGY,
  });
  assert.deepEqual(await driver.registered, { plugin_registered: true, error: '' });
}

async function persistentVolume(name: string, spec: object = {}, claim: object = {}): Promise<void> {
  const { client } = cluster;
  const modes = { accessModes: ['ReadWriteOnce'] as const, storageClassName: '' };
  await client.resource(PERSISTENT_VOLUMES).create({
    metadata: { name },
    spec: {
      ...modes,
      capacity: { storage: '1Gi' },
      csi: { driver: driver.name, volumeHandle: name, fsType: 'ext4', volumeAttributes: { colour: 'green' } },
      claimRef: { namespace: NAMESPACE, name },
      persistentVolumeReclaimPolicy: 'Retain',
      ...spec,
    },
  } as never);
  await client.resource(PERSISTENT_VOLUME_CLAIMS, NAMESPACE).create({
    metadata: { name },
    spec: { ...modes, resources: { requests: { storage: '1Gi' } }, volumeName: name, ...claim },
  } as never);
}

async function startPod(name: string, spec: object, container: object): Promise<void> {
  await cluster.client.resource(PODS, NAMESPACE).create({
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'c', image: IMAGE, imagePullPolicy: 'Never', command: ['sleep', '3600'], ...container }],
      ...spec,
    },
  } as never);
}

async function untilPod(name: string, what: string, until: (pod: Pod | undefined) => boolean): Promise<void> {
  const wait = { client: cluster.client, resource: PODS, namespace: NAMESPACE, what };
  await waitFor({ ...wait, until: (pods) => until(pods.find((pod) => pod.metadata.name === name)) });
}

const isReady = (pod: Pod | undefined): boolean => pod !== undefined && isPodReady(pod);

async function remove(name: string): Promise<void> {
  await cluster.client.resource(PODS, NAMESPACE).delete(name);
  await untilPod(name, `${name} to go`, (pod) => pod === undefined);
}

const claimed = (name: string): object => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }] });
const MOUNT = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };

if (skip === false) {
  before(async () => {
    cluster = await startContainerdCluster();
    folder = makeTestFolder().path;
    kubectl = (await findKubectl()) ?? assert.fail('there is a kubectl on this machine');
    nodeName = (await cluster.client.resource(NODES).list()).items[0]?.metadata.name ?? '';
    await restartDriver();
    const spec = {
      attachRequired: false,
      podInfoOnMount: true,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      tokenRequests: [{ audience: 'vault' }],
    };
    await cluster.client.resource(CSI_DRIVERS).create({ metadata: { name: driver.name }, spec });
  });
  after(async () => {
    const left = mounts();
    await driver.stop();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(left, [], 'no mount of a driver is left');
  });
}

test('a driver is on the CSINode and the Node', { skip }, async () => {
  const page = await cluster.client.resource(CSI_NODES).get(nodeName);
  assert.deepEqual(page.spec.drivers, [
    { name: driver.name, nodeID: 'node-of-the-driver', topologyKeys: Object.keys(TOPOLOGY), allocatable: { count: 7 } },
  ]);
  const node = await cluster.client.resource(NODES).get(nodeName);
  assert.equal(node.metadata.labels?.['topology.test/rack'], 'r1');
  assert.equal(
    node.metadata.annotations?.['csi.volume.kubernetes.io/nodeid'],
    JSON.stringify({ [driver.name]: 'node-of-the-driver' }),
  );
});

describe('volumes of one driver, side by side', { skip, concurrency: 4 }, () => {
  test('a claim: staged once, published to each pod, given to the group, grown, counted, and let go', async () => {
    await persistentVolume('pv-a');
    const group = { securityContext: { fsGroup: 4242, runAsUser: 1000 } };
    await startPod('one', { ...claimed('pv-a'), ...group }, MOUNT);
    await untilPod('one', 'one to be ready', isReady);
    assert.equal(await exec('one', 'sh', '-c', 'echo hello > /v/f; cat /v/f'), 'hello');
    assert.equal(statSync(join(driver.volumeFolder('pv-a'), 'f')).gid, 4242);
    await startPod('two', { ...claimed('pv-a'), ...group }, MOUNT);
    await untilPod('two', 'two to be ready', isReady);
    assert.equal(await exec('two', 'cat', '/v/f'), 'hello');
    assert.deepEqual([calls('NodeStageVolume', 'pv-a'), calls('NodePublishVolume', 'pv-a')], [2, 2]);
    const context = JSON.parse(readFileSync(join(driver.volumeFolder('pv-a'), '.context'), 'utf8')) as Record<
      string,
      string
    >;
    assert.partialDeepStrictEqual(context, {
      colour: 'green',
      'csi.storage.k8s.io/pod.name': 'two',
      'csi.storage.k8s.io/pod.namespace': 'default',
      'csi.storage.k8s.io/ephemeral': 'false',
    });
    const tokens = JSON.parse(context['csi.storage.k8s.io/serviceAccount.tokens'] ?? '{}') as {
      vault?: { token: string };
    };
    assert.match(tokens.vault?.token ?? '', /^ey/);
    const path = `/api/v1/nodes/${nodeName}/proxy/stats/summary`;
    const summary = JSON.parse(await kubectlOutput(kubectl, cluster.kubeconfig, ['get', '--raw', path])) as {
      pods: { podRef: { name: string }; volume?: { name: string; pvcRef?: object; capacityBytes: number }[] }[];
    };
    const { volume: volumes = [] } = summary.pods.find(({ podRef }) => podRef.name === 'two') ?? {};
    const figures = volumes.find(({ name }) => name === 'v');
    assert.partialDeepStrictEqual(figures, { pvcRef: { name: 'pv-a', namespace: NAMESPACE } });
    assert.ok((figures?.capacityBytes ?? 0) > 0);
    await remove('one');
    assert.equal(calls('NodeUnstageVolume', 'pv-a'), 0, 'the other pod still has it');
    await remove('two');
    assert.deepEqual([calls('NodeUnpublishVolume', 'pv-a'), calls('NodeUnstageVolume', 'pv-a')], [2, 1]);
  });

  test('a volume that grew is grown on the node, and its claim is told', async () => {
    await persistentVolume('pv-grow');
    const claims = cluster.client.resource(PERSISTENT_VOLUME_CLAIMS, NAMESPACE);
    await waitFor({
      client: cluster.client,
      resource: PERSISTENT_VOLUME_CLAIMS,
      namespace: NAMESPACE,
      what: 'the claim to be bound',
      until: (all) => all.some((c) => c.metadata.name === 'pv-grow' && c.status?.phase === 'Bound'),
    });
    await cluster.client
      .resource(PERSISTENT_VOLUMES)
      .patch('pv-grow', 'merge', { spec: { capacity: { storage: '2Gi' } } });
    await startPod('grow', claimed('pv-grow'), MOUNT);
    await untilPod('grow', 'grow to be ready', isReady);
    assert.equal(readFileSync(join(driver.volumeFolder('pv-grow'), '.size'), 'utf8'), String(2 * 2 ** 30));
    assert.equal((await claims.get('pv-grow')).status?.capacity?.['storage'], '2Gi');
    await remove('grow');
  });

  test('a volume of the pod itself lives as long as the pod', async () => {
    const volume = { name: 'v', csi: { driver: driver.name, volumeAttributes: { size: 's' } } };
    await startPod('inline', { volumes: [volume] }, MOUNT);
    await untilPod('inline', 'inline to be ready', isReady);
    const published = driver.calls.find(
      ({ method, request }) => method === 'NodePublishVolume' && !String(request['volume_id']).startsWith('pv-'),
    );
    const handle = String(published?.request['volume_id']);
    assert.match(handle, /^csi-[0-9a-f]{64}$/);
    await exec('inline', 'touch', '/v/mine');
    assert.ok(readdirSync(driver.volumeFolder(handle)).includes('mine'));
    assert.equal(calls('NodeStageVolume', handle), 0, 'such volumes are not staged');
    await remove('inline');
    assert.equal(calls('NodeUnpublishVolume', handle), 1);
  });

  test('a device in place of a folder', async () => {
    await persistentVolume('pv-block', { volumeMode: 'Block' }, { volumeMode: 'Block' });
    await startPod('block', claimed('pv-block'), { volumeDevices: [{ name: 'v', devicePath: '/dev/xvda' }] });
    await untilPod('block', 'block to be ready', isReady);
    assert.equal(await exec('block', 'sh', '-c', 'printf mark > /dev/xvda; sync; head -c 4 /dev/xvda'), 'mark');
    await remove('block');
    assert.equal(
      readFileSync(join(driver.volumeFolder('pv-block'), 'block.img'))
        .subarray(0, 4)
        .toString(),
      'mark',
    );
  });
});

test('a refusal of the driver is told, and tried again', { skip }, async () => {
  await persistentVolume('pv-hard');
  driver.refuse('NodeStageVolume', { status: 13, message: 'the disk is asleep' });
  await startPod('hard', claimed('pv-hard'), MOUNT);
  const told = 'MountVolume.MountDevice failed for volume "v" : rpc error: code = Internal desc = the disk is asleep';
  await waitFor({
    client: cluster.client,
    resource: EVENTS,
    namespace: NAMESPACE,
    what: 'the refusal to be told',
    until: (events) => events.some((event) => event.reason === 'FailedMount' && event.message === told),
  });
  driver.refuse('NodeStageVolume', undefined);
  await untilPod('hard', 'hard to be ready', isReady);
  await remove('hard');
});

test('what others attach is waited for, used while it is, and told to be free afterwards', { skip }, async () => {
  const { client } = cluster;
  const name = 'attached.csi.binnacle.dev';
  const kubeletDir = join(cluster.dataDir, 'kubelet');
  const other = await startCsiDriver({ kubeletDir, folder, name, capabilities: ['STAGE_UNSTAGE_VOLUME'] });
  try {
    await other.registered;
    await client.resource(CSI_DRIVERS).create({ metadata: { name }, spec: { attachRequired: true } });
    await persistentVolume('pv-far', { csi: { driver: name, volumeHandle: 'pv-far' } });
    await startPod('far', claimed('pv-far'), MOUNT);
    const attachment = csiAttachmentName({ driver: name, handle: 'pv-far' }, nodeName);
    await waitFor({
      client,
      resource: VOLUME_ATTACHMENTS,
      what: 'the attachment',
      until: (all) => all.some((a) => a.metadata.name === attachment),
    });
    const used = csiVolumeName({ driver: name, handle: 'pv-far' });
    await waitFor({
      client,
      resource: NODES,
      what: 'the volume to be in use',
      until: ([node]) => node?.status?.volumesInUse?.includes(used) === true,
    });
    assert.equal(
      other.calls.some((call) => call.method === 'NodeStageVolume'),
      false,
    );
    // What the driver's own controller does.
    const attached = { status: { attached: true, attachmentMetadata: { device: 'sdb' } } };
    await client.resource(VOLUME_ATTACHMENTS).patch(attachment, 'merge', attached, { subresource: 'status' });
    await untilPod('far', 'far to be ready', isReady);
    assert.deepEqual(other.calls.find((call) => call.method === 'NodeStageVolume')?.request['publish_context'], {
      device: 'sdb',
    });
    await remove('far');
    await waitFor({
      client,
      resource: NODES,
      what: 'the volume to be free',
      until: ([node]) => node?.status?.volumesInUse === undefined || node.status.volumesInUse.length === 0,
    });
  } finally {
    await other.stop();
  }
  await waitFor({
    client,
    resource: CSI_NODES,
    what: 'the driver to go',
    until: ([page]) => (page?.spec.drivers ?? []).length === 1,
  });
});

test(
  'a pod that went while kubelet and driver were dead: what it had is taken away when they are back',
  { skip },
  async () => {
    await persistentVolume('pv-crash');
    await startPod('crash', claimed('pv-crash'), MOUNT);
    await startPod('stays', claimed('pv-crash'), MOUNT);
    for (const name of ['crash', 'stays']) await untilPod(name, `${name} to be ready`, isReady);
    await driver.stop();
    await cluster.kill();
    await cluster.restart();
    await cluster.client.resource(PODS, NAMESPACE).delete('crash');
    await restartDriver();
    await untilPod('crash', 'crash to go', (pod) => pod === undefined);
    assert.deepEqual([calls('NodeUnpublishVolume', 'pv-crash'), calls('NodeUnstageVolume', 'pv-crash')], [1, 0]);
    await exec('stays', 'touch', '/v/still');
    await remove('stays');
    assert.equal(calls('NodeUnstageVolume', 'pv-crash'), 1);
  },
);
