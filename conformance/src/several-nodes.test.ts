/** Several real nodes on this machine: pods of every node reach each other, Services and names are everywhere, policies hold across. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { DAEMON_SETS, isPodReady, NODES, PODS, SERVICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import {
  findKubectl,
  kubectlOutput,
  lookUntil,
  pidsByCommand,
  runKubectl,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';
import { holds, makeMatrix, SCENARIOS } from './policy-matrix.ts';

const kubectl = await findKubectl();
const skip = kubectl === undefined ? 'no kubectl on this machine' : await skipWithoutContainerd();
const WORKERS = 2;
const PORT = 8080;
/** Where the machine has none, the same is shown with one family. */
const HAS_IPV6 = existsSync('/proc/sys/net/ipv6/conf');
let cluster: OneProcessCluster;

before(async () => {
  if (skip !== false) return;
  cluster = await startContainerdCluster(['--workers', `${WORKERS}`], { hasBothFamilies: HAS_IPV6 });
});

after(async () => {
  if (skip === false) await cluster.stop();
});

function ask(...args: readonly string[]): Promise<string> {
  assert.ok(kubectl);
  return kubectlOutput(kubectl, cluster.kubeconfig, args);
}

const CODENAME = '[sig-architecture] Conformance Tests should have at least two untainted nodes [Conformance]';

test(CODENAME, { skip }, async () => {
  const { items } = await cluster.client.resource(NODES).list();
  const untainted = items.filter(({ spec, status }) => {
    const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    return isReady === true && (spec?.taints ?? []).length === 0 && spec?.unschedulable !== true;
  });
  assert.equal(untainted.length, WORKERS + 1);
  const ranges = new Set(items.map(({ spec }) => spec?.podCIDR));
  assert.equal(ranges.size, WORKERS + 1, 'each has a range of its own');
  assert.equal(ranges.has(undefined), false, 'and says it');
  if (!HAS_IPV6) return;
  for (const { metadata, spec, status } of items) {
    assert.match(spec?.podCIDRs?.join() ?? '', /^10\.[^,]+,fd10:/, 'the controller gave both families');
    const own = status?.addresses?.filter(({ type, address }) => type === 'InternalIP' && address.startsWith('fd10:'));
    assert.equal(own?.length, metadata.name?.startsWith('worker-') === true ? 1 : 0, metadata.name);
  }
});

/** One server on every node. */
async function servers(): Promise<readonly Pod[]> {
  const labels = { app: 'web' };
  const script = `mkdir /w; cd /w; hostname >hostname; exec httpd -f -p ${PORT}`;
  const readinessProbe = { tcpSocket: { port: PORT }, periodSeconds: 1 };
  const container = { name: 'c', image: IMAGE, command: ['sh', '-c', script], readinessProbe };
  await cluster.client.resource(DAEMON_SETS, 'default').create({
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 0 } },
    },
  });
  return waitFor({
    client: cluster.client,
    resource: PODS,
    namespace: 'default',
    labelSelector: 'app=web',
    what: 'a server on every node',
    until: (pods) => pods.length === WORKERS + 1 && pods.every(isPodReady),
  });
}

test('every pod reaches every pod, a Service by its name, and node ports of every node', { skip }, async () => {
  const pods = await servers();
  assert.equal(new Set(pods.map(({ spec }) => spec?.nodeName)).size, WORKERS + 1);
  const spec = { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, targetPort: PORT }] } as const;
  const service = await cluster.client.resource(SERVICES, 'default').create({ metadata: { name: 'web' }, spec });
  const { items } = await cluster.client.resource(NODES).list();
  const nodes = items.flatMap(
    ({ status }) => status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? [],
  );
  const places = [
    ...pods.map(({ status }) => `${status?.podIP}:${PORT}`),
    'web.default.svc.cluster.local',
    ...nodes.map((node) => `${node}:${service.spec?.ports?.[0]?.nodePort}`),
  ];
  const script = `ask() { for i in $(seq 20); do timeout 2 wget -qO- http://$1/hostname && return; sleep 0.5; done; echo none $1; }; ${places.map((place) => `ask ${place}`).join('; ')}`;
  for (const { metadata } of pods) {
    const told = (await ask('exec', metadata.name ?? '', '--', 'sh', '-c', script)).trim().split('\n');
    assert.equal(told.length, places.length, told.join('\n'));
    assert.deepEqual(
      told.filter((line) => !line.startsWith('web-')),
      [],
    );
    assert.deepEqual(
      told.slice(0, pods.length),
      pods.map((pod) => pod.metadata.name),
    );
  }
});

test('a pod reaches node ports of the machine whoever answers, its own node among them', { skip }, async () => {
  const { items } = await cluster.client.resource(PODS, 'default').list({ labelSelector: 'app=web' });
  const service = await cluster.client.resource(SERVICES, 'default').get('web');
  const machine = items.find(({ spec }) => spec?.nodeName?.startsWith('worker-') === false);
  const at = `${machine?.status?.hostIP}:${service.spec?.ports?.[0]?.nodePort}`;
  const script = `for i in $(seq 16); do timeout 5 wget -qO- http://${at}/hostname || echo none; done`;
  for (const { metadata, spec } of items) {
    if (spec?.nodeName?.startsWith('worker-') !== true) continue;
    const told = (await ask('exec', metadata.name ?? '', '--', 'sh', '-c', script)).trim().split('\n');
    assert.deepEqual(
      told.filter((line) => !line.startsWith('web-')),
      [],
    );
  }
});

const skipBoth = HAS_IPV6 ? skip : 'this machine has no IPv6';
test('with two families pods have addresses of both, and Services answer by both', { skip: skipBoth }, async () => {
  const spec = {
    type: 'NodePort',
    ipFamilyPolicy: 'RequireDualStack',
    selector: { app: 'web' },
    ports: [{ port: 80, targetPort: PORT }],
  } as const;
  const service = await cluster.client.resource(SERVICES, 'default').create({ metadata: { name: 'both' }, spec });
  const { items } = await cluster.client.resource(PODS, 'default').list({ labelSelector: 'app=web' });
  const sixes = items.map(({ status }) => status?.podIPs?.[1]?.ip ?? '');
  const [four, six] = service.spec?.clusterIPs ?? [];
  const nodes = items
    .map(({ status }) => status?.hostIPs?.[1]?.ip ?? '')
    .filter((address) => address.startsWith('fd10:'));
  assert.equal(nodes.length, WORKERS);
  const places = [
    ...sixes.map((address) => `[${address}]:${PORT}`),
    four,
    `[${six}]`,
    ...nodes.map((node) => `[${node}]:${service.spec?.ports?.[0]?.nodePort}`),
  ];
  const script = `ask() { for i in $(seq 20); do timeout 2 wget -qO- http://$1/hostname && return; sleep 0.5; done; echo none $1; }; ${places.map((place) => `ask ${place}`).join('; ')}; nslookup -type=aaaa both.default.svc.cluster.local`;
  for (const { metadata } of items) {
    const told = (await ask('exec', metadata.name ?? '', '--', 'sh', '-c', script)).trim().split('\n');
    assert.deepEqual(
      told.slice(0, places.length).filter((line) => !line.startsWith('web-')),
      [],
    );
    assert.ok(
      told
        .slice(places.length)
        .join('\n')
        .includes(six ?? ''),
      told.join('\n'),
    );
  }
});

test('a node whose process is killed is started again, with its pods', { skip }, async () => {
  const running = (): number[] => pidsByCommand(`${cluster.dataDir}/workers/worker-1\0--node-network`);
  const { items } = await cluster.client.resource(PODS, 'default').list({ labelSelector: 'app=web' });
  const pod = items.find(({ spec }) => spec?.nodeName === 'worker-1');
  const [before] = running();
  assert.ok(before);
  process.kill(before, 'SIGKILL');
  const args = ['exec', pod?.metadata.name ?? '', '--', 'hostname'];
  const { stdout } = await lookUntil({
    what: 'another process to answer for the pod',
    look: async () => {
      assert.ok(kubectl);
      const said = await runKubectl(kubectl, cluster.kubeconfig, args);
      return { ...said, process: running()[0] };
    },
    until: ({ code, process: now }) => code === 0 && now !== undefined && now !== before,
  });
  assert.equal(stdout.trim(), pod?.metadata.name);
  const after = await cluster.client.resource(PODS, 'default').get(pod?.metadata.name ?? '');
  assert.equal(after.metadata.uid, pod?.metadata.uid);
  assert.equal(after.status?.containerStatuses?.[0]?.restartCount, 0, 'the containers went on');
});

test('policies hold across nodes: pods are seen by their own addresses', { skip }, async (t) => {
  assert.ok(kubectl);
  const places = ['x', 'y'].flatMap((namespace) => ['a', 'b', 'c'].map((pod) => ({ namespace, pod })));
  const matrix = { client: cluster.client, kubectl, kubeconfig: cluster.kubeconfig, places };
  await makeMatrix(matrix);
  const { items } = await cluster.client.resource(PODS).list({ labelSelector: 'pod' });
  assert.ok(new Set(items.map(({ spec }) => spec?.nodeName)).size > 1, 'they are on several nodes');
  for (const scenario of SCENARIOS) await t.test(scenario.name, () => holds(matrix, scenario));
});
