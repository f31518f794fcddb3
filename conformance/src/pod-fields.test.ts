/**
 * Every field of a pod's definition, with real containers: seen from inside or outside, refused visibly, or not a node's
 * business (docs/what-a-pod-can-ask-for.md says which; a test holds that page to the kubelet's own list).
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import type { Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import {
  CONFIG_MAPS,
  CSI_DRIVERS,
  EVENTS,
  NODES,
  PERSISTENT_VOLUMES,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  RUNTIME_CLASSES,
  SECRETS,
  SERVICES,
  SERVICE_ACCOUNTS,
  schemas,
} from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Draft } from '@binnacle/client';
import type { CsiDriverProcess, Kubectl, OneProcessCluster } from '@binnacle/testkit';
import {
  findKubectl,
  freePort,
  kubectlOutput,
  runKubectl,
  skipWithoutContainerd,
  startContainerdCluster,
  startCsiDriver,
  waitFor,
} from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';
import { REFUSALS, REFUSED_CONTAINER, SHOWN_BY } from './pod-fields/refusals.ts';
import { allFields, composePod, fieldsOf } from './pod-fields/row.ts';
import type { Row, Sight } from './pod-fields/row.ts';
import { podFieldRows } from './pod-fields/rows.ts';
import { missingAfterEnd } from './pod-fields/scene.ts';

const NAMESPACE = 'default';
const skip = await skipWithoutContainerd();

let cluster: OneProcessCluster;
let driver: CsiDriverProcess;
let kubectl: Kubectl;
let health: Http2Server;
let folder: string;
let rows: readonly Row[] = [];

/** Types of the API server's, the scheduler's or another system's business, and of refused kinds: not gone into. */
const FOREIGN =
  /^(?:PodSpec\.(?:affinity|tolerations|topologySpreadConstraints|schedulingGates|schedulingGroup|resourceClaims|ephemeralContainers)|.*\.windowsOptions|PersistentVolumeClaimTemplate\.(?:metadata|spec)|VolumeProjection\.(?:clusterTrustBundle|podCertificate)|ResourceRequirements\.claims|Volume\.(?:awsElasticBlockStore|azureDisk|azureFile|cephfs|cinder|fc|flexVolume|flocker|gcePersistentDisk|gitRepo|glusterfs|iscsi|nfs|photonPersistentDisk|portworxVolume|quobyte|rbd|scaleIO|storageos|vsphereVolume))$/;

/** What the page of docs says is somebody else's. */
function fieldsElsewhere(): Set<string> {
  const page = readFileSync(new URL('../../docs/what-a-pod-can-ask-for.md', import.meta.url), 'utf8');
  const found = new Set<string>();
  for (const part of page.split('\n## ').slice(1)) {
    const type = part.slice(0, part.indexOf('\n'));
    const line = /^- not the kubelet's: (.*)$/m.exec(part)?.[1] ?? '';
    for (const [, field] of line.matchAll(/`(\w+)`/g)) found.add(`${type}.${field}`);
  }
  return found;
}

if (skip === false) {
  before(start);
  after(async () => {
    health.close();
    // Its volumes are let go of while there is still a driver to do it: a loop device is nobody's afterwards.
    await cluster.client.resource(PODS, NAMESPACE).deleteCollection({}, { gracePeriodSeconds: 1 });
    const gone = { client: cluster.client, resource: PODS, namespace: NAMESPACE, what: 'all pods to go' };
    await waitFor({ ...gone, until: (pods) => pods.length === 0, deadlineMs: 60_000 });
    await driver.stop();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });
}

async function start(): Promise<void> {
  cluster = await startContainerdCluster(['--feature-gates=ContainerStopSignals=true']);
  kubectl = (await findKubectl()) ?? assert.fail('there is a kubectl on this machine');
  folder = makeTestFolder().path;
  const shared = join(folder, 'shared');
  const kubeletDir = join(cluster.dataDir, 'kubelet');
  mkdirSync(shared);
  mkdirSync(join(kubeletDir, 'seccomp'), { recursive: true });
  const rule = { names: ['mkdir', 'mkdirat'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 };
  const profile = { defaultAction: 'SCMP_ACT_ALLOW', syscalls: [rule] };
  writeFileSync(join(kubeletDir, 'seccomp', 'no-mkdir.json'), JSON.stringify(profile));
  driver = await startCsiDriver({ kubeletDir, folder: join(folder, 'volumes') });
  await driver.registered;
  const asked: string[] = [];
  health = await serveHealth(asked);
  const nodeName = (await cluster.client.resource(NODES).list()).items[0]?.metadata.name ?? '';
  await createObjects();
  const grpcPort = (health.address() as AddressInfo).port;
  rows = podFieldRows({ hostPort: await freePort(), grpcPort, asked, folder: shared, nodeName, driver });
  for (const [name, own] of Map.groupBy(rows, (row) => row.pod)) await createPod(name, own);
}

async function createPod(name: string, own: readonly Row[]): Promise<void> {
  const labels = Object.assign({}, ...own.map((row) => row.labels ?? {})) as { readonly [key: string]: string };
  await cluster.client.resource(PODS, NAMESPACE).create({ metadata: { name, labels }, spec: composePod(own) });
}

async function createObjects(): Promise<void> {
  const { client } = cluster;
  const block = { accessModes: ['ReadWriteOnce'] as const, storageClassName: '', volumeMode: 'Block' };
  const size = { storage: '1Mi' };
  await client.resource(CONFIG_MAPS, NAMESPACE).create({ metadata: { name: 'settings' }, data: { colour: 'green' } });
  await client.resource(SECRETS, NAMESPACE).create({ metadata: { name: 'secrets' }, data: { word: btoa('hush') } });
  await client.resource(SERVICE_ACCOUNTS, NAMESPACE).create({ metadata: { name: 'robot' } });
  await client
    .resource(SERVICES, NAMESPACE)
    .create({ metadata: { name: 'extra' }, spec: { ports: [{ port: 80 }] } } as never);
  await client.resource(RUNTIME_CLASSES).create({
    metadata: { name: 'heavy' },
    handler: 'runc',
    overhead: { podFixed: { memory: '16Mi' } },
  });
  const spec = { attachRequired: false, volumeLifecycleModes: ['Persistent', 'Ephemeral'] };
  await client.resource(CSI_DRIVERS).create({ metadata: { name: driver.name }, spec });
  await client.resource(PERSISTENT_VOLUMES).create({
    metadata: { name: 'disk' },
    spec: {
      ...block,
      capacity: size,
      csi: { driver: driver.name, volumeHandle: 'disk' },
      claimRef: { namespace: NAMESPACE, name: 'disk' },
    },
  } as never);
  for (const [name, of] of [
    ['disk', { ...block, volumeName: 'disk' }],
    ['data', { accessModes: ['ReadWriteOnce'] }],
  ] as const)
    await client.resource(PERSISTENT_VOLUME_CLAIMS, NAMESPACE).create({
      metadata: { name },
      spec: { ...of, resources: { requests: size } },
    } as never);
}

/** The gRPC health protocol, as far as a probe asks: every service is well. */
function serveHealth(asked: string[]): Promise<Http2Server> {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('data', (part: Buffer) => asked.push(part.subarray(7).toString()));
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
    });
  });
  return new Promise((resolve) => server.listen(0, () => resolve(server)));
}

async function sightOf(name: string): Promise<Sight> {
  const pod = await cluster.client.resource(PODS, NAMESPACE).get(name);
  return {
    pod,
    exec: async (container, command) => {
      const args = ['exec', name, '-c', container, '--', 'sh', '-c', `{ ${command}; } 2>&1`];
      const { stdout, stderr } = await runKubectl(kubectl, cluster.kubeconfig, args);
      return stdout.trimEnd() || stderr.trimEnd();
    },
    messages: async () => {
      const { items } = await cluster.client.resource(EVENTS, NAMESPACE).list();
      return items.filter((event) => event.involvedObject.name === name).map((event) => event.message ?? '');
    },
  };
}

/** What the commands of all rows say at the first look; those of one container in one go. */
async function firstLook(): Promise<Map<Row, string>> {
  const said = new Map<Row, string>();
  const asking = rows.filter((row) => row.run !== undefined);
  for (const [place, own] of Map.groupBy(asking, (row) => `${row.pod}/${row.in ?? 'main'}`)) {
    const [pod = '', container = ''] = place.split('/');
    const script = own.map((row, i) => `echo; echo @@${i}; { ${row.run ?? ''}; } 2>&1`).join('\n');
    const output = await (await sightOf(pod)).exec(container, script);
    for (const part of output.split('\n@@').slice(1)) {
      const row = own[parseInt(part, 10)];
      if (row !== undefined) said.set(row, part.slice(part.indexOf('\n') + 1).trimEnd());
    }
  }
  return said;
}

/** Looked at again with each change of the pod, and at each second's: some of it no watch tells of. */
async function untilSeen(row: Row, deadlineMs: number): Promise<string> {
  const deadline = Date.now() + deadlineMs;
  for (let last = ''; ;) {
    const sight = await sightOf(row.pod);
    if (row.run !== undefined) {
      const output = await sight.exec(row.in ?? 'main', row.run);
      last = `the output is ${JSON.stringify(output)}`;
      if (row.wanted?.test(output) === true) return '';
    } else {
      last = `not seen: ${row.look?.what ?? ''}; ${JSON.stringify(sight.pod.status)}`;
      if ((await row.look?.at(sight)) === true) return '';
    }
    if (Date.now() > deadline) return last;
    const version = sight.pod.metadata.resourceVersion;
    const what = `${row.pod} to change`;
    const changed = (pods: readonly Pod[]): boolean => pods[0]?.metadata.resourceVersion !== version;
    await waitFor({
      client: cluster.client,
      resource: PODS,
      namespace: NAMESPACE,
      name: row.pod,
      what,
      until: changed,
      deadlineMs: 1000,
    }).catch(
      // Nothing has changed for a second: it is looked at again all the same.
      () => undefined,
    );
  }
}

/** None of its containers waits for the pod. */
function isUnderWay(pod: Pod | undefined): boolean {
  if (pod?.status?.phase === 'Failed') return true;
  const all = pod?.status?.containerStatuses ?? [];
  const early = new Set<string | undefined>(['ContainerCreating', 'PodInitializing']);
  return all.length > 0 && !all.some(({ state }) => early.has(state?.waiting?.reason));
}

test('what is acted on is seen', { skip }, async (t) => {
  const started = [...new Set(rows.map((row) => row.pod))].map(async (name) => {
    const wait = { client: cluster.client, resource: PODS, namespace: NAMESPACE, name, what: `${name} to run` };
    const until = ([pod]: readonly Pod[]): boolean => isUnderWay(pod);
    await waitFor({ ...wait, until, deadlineMs: 60_000 }).catch(async (error: unknown) => {
      assert.fail(`${String(error).slice(0, 300)}\n${(await (await sightOf(name)).messages()).join('\n')}`);
    });
  });
  const failed = (await Promise.allSettled(started)).filter((result) => result.status === 'rejected');
  assert.deepEqual(failed, []);
  const said = await firstLook();
  for (const row of rows) {
    if (row.run === undefined && row.look === undefined) continue;
    const piece = JSON.stringify(row.spec ?? {}) + JSON.stringify(row.container ?? {});
    await t.test(`${row.pod}: ${piece.slice(0, 100)}`, async () => {
      if (row.wanted?.test(said.get(row) ?? '') === true && said.has(row)) return;
      assert.equal(await untilSeen(row, 30_000), '', `${piece}\nwanted ${String(row.wanted)}`);
    });
  }
});

test(
  'a container for debugging sees the processes of the one that it names (targetContainerName)',
  { skip },
  async () => {
    const image = [`--image=${IMAGE}`, '--image-pull-policy=Never', '--target=main', '--container=debugger'];
    const command = ['--', 'sh', '-c', "tr '\\0' ' ' < /proc/1/cmdline"];
    await kubectlOutput(kubectl, cluster.kubeconfig, ['debug', 'plain', ...image, ...command]);
    const wait = {
      client: cluster.client,
      resource: PODS,
      namespace: NAMESPACE,
      name: 'plain',
      what: 'the debugger to end',
    };
    await waitFor({
      ...wait,
      until: ([pod]) => pod?.status?.ephemeralContainerStatuses?.[0]?.state?.terminated !== undefined,
    });
    assert.match(await kubectlOutput(kubectl, cluster.kubeconfig, ['logs', 'plain', '-c', 'debugger']), /^sh -c trap/);
  },
);

test('how it ends is seen too', { skip }, async () => {
  await cluster.client.resource(PODS, NAMESPACE).delete('ends');
  const wait = { client: cluster.client, resource: PODS, namespace: NAMESPACE, name: 'ends', what: 'ends to end' };
  await waitFor({ ...wait, until: (pods) => pods.length === 0 });
  assert.equal(missingAfterEnd(join(folder, 'shared')), undefined);
});

test('what is refused is refused by name', { skip }, async () => {
  const containers = [{ pod: 'refused', container: REFUSED_CONTAINER }];
  const { nodeName } = rows.find((row) => row.spec?.nodeName !== undefined)?.spec ?? {};
  const own = [
    ...containers,
    ...REFUSALS.map(({ spec = {}, container = {} }) => ({ pod: 'refused', spec, container })),
  ];
  await createPod('refused', [...own, { pod: 'refused', spec: { nodeName: nodeName ?? '' } }]);
  const wait = {
    client: cluster.client,
    resource: PODS,
    namespace: NAMESPACE,
    name: 'refused',
    what: 'it to be refused',
  };
  const [pod] = await waitFor({
    ...wait,
    until: ([one]) => one?.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'Unsupported',
  });
  const message = pod?.status?.containerStatuses?.[0]?.state?.waiting?.message ?? '';
  for (const { asks } of REFUSALS) assert.ok(message.includes(asks), `${asks} is not in: ${message}`);
});

test(
  'a pod has users of its own where the engine says that it can give them, and is refused in upstream’s words elsewhere',
  { skip },
  async () => {
    const { items } = await cluster.client.resource(NODES).list();
    const handlers = items[0]?.status?.runtimeHandlers ?? [];
    const canGive = handlers.some(({ name, features }) => name === '' && features?.userNamespaces === true);
    const container = { name: 'main', image: IMAGE, imagePullPolicy: 'Never', command: ['cat', '/proc/self/uid_map'] };
    const spec = {
      hostUsers: false,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [container],
    };
    await cluster.client.resource(PODS, NAMESPACE).create({ metadata: { name: 'own-users' }, spec } as Draft<Pod>);
    const about = { client: cluster.client, namespace: NAMESPACE, deadlineMs: 60_000 };
    if (canGive) {
      const wait = { ...about, resource: PODS, name: 'own-users', what: 'it to end' };
      await waitFor({ ...wait, until: ([pod]) => pod?.status?.phase === 'Succeeded' });
      const map = await kubectlOutput(kubectl, cluster.kubeconfig, ['logs', 'own-users']);
      const [inside, outside, length] = map.trim().split(/\s+/).map(Number);
      assert.deepEqual([inside, length, (outside ?? 0) % 65_536], [0, 65_536, 0]);
      assert.ok((outside ?? 0) > 0, 'none of the node’s');
      return;
    }
    const words = /can't set `spec.hostUsers: false`, runtime does not support user namespaces/;
    await waitFor({
      ...about,
      resource: EVENTS,
      what: 'the refusal',
      until: (all) => all.some((e) => words.test(e.message ?? '')),
    });
  },
);

test('no field is left out', { skip }, () => {
  const { table } = schemas;
  const covered = fieldsElsewhere();
  for (const { spec = {}, container } of [...rows, ...REFUSALS]) {
    const whole = container === undefined ? spec : { ...spec, containers: [container] };
    for (const field of fieldsOf(table, 'core.v1.PodSpec', whole)) covered.add(field);
  }
  covered.add('PodSpec.containers').add('Container.name');
  for (const [field, file] of Object.entries(SHOWN_BY)) {
    const name = field.slice(field.indexOf('.') + 1);
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    assert.ok(text.includes(name), `${file} says nothing of ${name}`);
    covered.add(field);
  }
  const all = allFields(table, 'core.v1.PodSpec', (field) => FOREIGN.test(field));
  assert.deepEqual(
    [...all].filter((field) => !covered.has(field)),
    [],
  );
});
