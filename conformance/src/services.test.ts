/** Services and names with real containers: what users reach from pods, from the machine, and after a stranger's hand. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { CONFIG_MAPS, DEPLOYMENTS, ENDPOINT_SLICES, EVENTS, NETWORK_POLICIES, PODS, SERVICES } from '@binnacle/api';
import type { Pod, Probe, Service } from '@binnacle/api/core/v1';
import type { Draft } from '@binnacle/client';
import { loadKubeconfig } from '@binnacle/client/node';
import {
  findKubectl,
  kubectlOutput,
  lookUntil,
  runKubectl,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { KubectlResult, OneProcessCluster } from '@binnacle/testkit';
import { deployment, IMAGE } from './manifests.ts';
import { holds, makeMatrix, SCENARIOS } from './policy-matrix.ts';

const kubectl = await findKubectl();
const skip = kubectl === undefined ? 'no kubectl on this machine' : await skipWithoutContainerd();
const run = promisify(execFile);
let cluster: OneProcessCluster;

before(async () => {
  if (skip !== false) return;
  cluster = await startContainerdCluster();
  await cluster.client.resource(DEPLOYMENTS, 'default').create(deployment('web', 2));
  await cluster.client.resource(PODS, 'default').create({
    metadata: { name: 'client' },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: IMAGE, command: ['sleep', '1000'] }],
    },
  });
  const isReady = ({ status }: Pod): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  await waitFor({
    client: cluster.client,
    resource: PODS,
    namespace: 'default',
    what: 'three pods that are ready',
    until: (pods) => pods.filter(isReady).length === 3,
  });
});

after(async () => {
  if (skip === false) await cluster.stop();
});

/** What a command in the pod says, tried until it goes well: rules follow endpoints within a second. */
async function inPod(...command: readonly string[]): Promise<string> {
  const args = ['exec', 'client', '--', 'timeout', '3', ...command];
  const look = (): Promise<KubectlResult> => {
    assert.ok(kubectl);
    return runKubectl(kubectl, cluster.kubeconfig, args);
  };
  const what = `${command.join(' ')} to go well`;
  return (await lookUntil({ what, look, until: ({ code }) => code === 0, deadlineMs: 10_000 })).stdout;
}

async function expose(name: string, spec: object): Promise<Service> {
  const service = { metadata: { name }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec } };
  return cluster.client.resource(SERVICES, 'default').create(service as Draft<Service>);
}

/** The page at a URL, tried until it is the one wanted: without rules, a packet goes who knows where. */
async function untilPage(url: string): Promise<void> {
  const look = (): Promise<string> => run('curl', ['-s', '-m', '2', url]).then(({ stdout }) => stdout, String);
  await lookUntil({ what: url, look, until: (page) => page.includes('It runs'), deadlineMs: 10_000 });
}

test('a Service by its name and its ClusterIP, from a pod and from the machine', { skip }, async () => {
  const service = await expose('web', {});
  assert.match(await inPod('wget', '-qO-', 'http://web/'), /It runs/);
  assert.match(await inPod('wget', '-qO-', 'http://web.default.svc.cluster.local/'), /It runs/);
  assert.match(
    await inPod('nslookup', 'web.default.svc.cluster.local'),
    new RegExp(`Address: ${service.spec?.clusterIP}`),
  );
  await untilPage(`http://${service.spec?.clusterIP}/`);
});

test('a headless Service is its pods', { skip }, async () => {
  await expose('pods', { clusterIP: 'None' });
  const pods = (await cluster.client.resource(PODS, 'default').list({ labelSelector: 'app=web' })).items;
  const told = await inPod('nslookup', 'pods.default.svc.cluster.local');
  for (const { status } of pods) assert.ok(told.includes(`Address: ${status?.podIP}`), told);
});

test('the API server, by the name that every client library uses', { skip }, async () => {
  await inPod('nc', '-w', '2', 'kubernetes.default.svc', '443');
});

test('a node port, from a pod and from the machine', { skip }, async () => {
  const service = await expose('open', { type: 'NodePort' });
  const port = service.spec?.ports?.[0]?.nodePort;
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const address = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  await untilPage(`http://${address}:${port}/`);
  assert.match(await inPod('wget', '-qO-', `http://${address}:${port}/`), /It runs/);
});

/** A pod of its own application that answers at port 80, and hears no SIGTERM. */
async function serve(app: string, readinessProbe: Probe): Promise<void> {
  const web = { name: 'web', image: IMAGE, readinessProbe };
  await cluster.client.resource(PODS, 'default').create({
    metadata: { name: app, labels: { app } },
    spec: { terminationGracePeriodSeconds: 60, containers: [web] },
  });
  await waitFor({
    client: cluster.client,
    resource: PODS,
    namespace: 'default',
    name: app,
    what: 'to run',
    until: ([pod]) => pod?.status?.containerStatuses?.every(({ state }) => state?.running !== undefined) === true,
  });
}

test('while all who answer are on their way out, they are still asked', { skip }, async () => {
  await serve('leaver', { httpGet: { path: '/', port: 80 }, periodSeconds: 1 });
  const before = await expose('before', { selector: { app: 'leaver' } });
  await untilPage(`http://${before.spec?.clusterIP}/`);
  const pods = cluster.client.resource(PODS, 'default');
  await pods.delete('leaver');
  await waitFor({
    client: cluster.client,
    resource: ENDPOINT_SLICES,
    namespace: 'default',
    what: 'an endpoint that goes and serves',
    until: (slices) =>
      slices.some(
        ({ metadata, endpoints }) =>
          metadata.labels?.['kubernetes.io/service-name'] === 'before' &&
          endpoints?.some(({ conditions }) => conditions?.terminating === true && conditions.serving === true),
      ),
  });
  // Its rules know of nobody else.
  const during = await expose('during', { selector: { app: 'leaver' } });
  await untilPage(`http://${during.spec?.clusterIP}/`);
  assert.match(await inPod('wget', '-qO-', 'http://during/'), /It runs/);
  await pods.delete('leaver', { gracePeriodSeconds: 0 });
});

test('who is not ready is asked where the Service says so, and has a name', { skip }, async () => {
  await serve('unready', { exec: { command: ['false'] }, periodSeconds: 1 });
  const selector = { app: 'unready' };
  const anyway = await expose('anyway', { selector, publishNotReadyAddresses: true });
  await expose('anyway-names', { selector, publishNotReadyAddresses: true, clusterIP: 'None' });
  const strict = await expose('strict', { selector });
  await untilPage(`http://${anyway.spec?.clusterIP}/`);
  const address = (await cluster.client.resource(PODS, 'default').get('unready')).status?.podIP;
  assert.match(await inPod('nslookup', 'anyway-names.default.svc.cluster.local'), new RegExp(`Address: ${address}`));
  const ask = (): Promise<unknown> =>
    run('curl', ['-s', '-m', '2', `http://${strict.spec?.clusterIP}/`]).then(
      () => 'answered',
      ({ code }: { readonly code: unknown }) => code,
    );
  await lookUntil({ what: 'a refusal', look: ask, until: (told) => told === 7, deadlineMs: 10_000 });
  await cluster.client.resource(PODS, 'default').delete('unready', { gracePeriodSeconds: 0 });
});

/** A name server for which every name has the address 192.0.2.53. */
async function startStub(): Promise<{ readonly port: number; stop(): void }> {
  const header = 12;
  const socket = createSocket('udp4', (question, from) => {
    const end = question.indexOf(0, header) + 5;
    const wantsAddress = question.readUInt16BE(end - 4) === 1;
    const record = [0xc0, header, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 53];
    const reply = Buffer.concat([question.subarray(0, end), Buffer.from(wantsAddress ? record : [])]);
    for (const [at, word] of [0x8180, 1, wantsAddress ? 1 : 0, 0, 0].entries()) reply.writeUInt16BE(word, 2 + at * 2);
    socket.send(reply, from.port, from.address);
  });
  const listening = once(socket, 'listening');
  socket.bind(0, '127.0.0.1');
  await listening;
  return { port: socket.address().port, stop: () => socket.close() };
}

test('a domain has name servers of its own by the ConfigMap, and names of names are followed', { skip }, async (t) => {
  const stub = await startStub();
  t.after(() => stub.stop());
  await cluster.client.resource(CONFIG_MAPS, 'kube-system').create({
    metadata: { name: 'kube-dns' },
    data: { stubDomains: JSON.stringify({ 'corp.example': [`127.0.0.1:${stub.port}`] }) },
  });
  const outside = (externalName: string): object => ({ type: 'ExternalName', externalName, selector: null });
  await expose('chain-3', {});
  await expose('chain-2', outside('chain-3.default.svc.cluster.local'));
  await expose('chain-1', outside('chain-2.default.svc.cluster.local'));
  await expose('corp', outside('host.corp.example'));
  for (const name of ['host.corp.example', 'corp.default.svc.cluster.local'])
    assert.match(await inPod('nslookup', '-type=a', name), /Address: 192\.0\.2\.53/);
  assert.match(await inPod('wget', '-qO-', 'http://chain-1/'), /It runs/);
});

/** A port of the machine that no other cluster on it was given. */
const BALANCED = 18_000 + (process.pid % 1_000);

test('a load balancer has the address of the node at once, and says whether this node answers', { skip }, async () => {
  const service = await expose('balanced', {
    type: 'LoadBalancer',
    ports: [{ port: BALANCED, targetPort: 80 }],
    externalTrafficPolicy: 'Local',
  });
  const [found] = await waitFor({
    client: cluster.client,
    resource: SERVICES,
    namespace: 'default',
    name: 'balanced',
    what: 'an address',
    until: ([one]) => (one?.status?.loadBalancer?.ingress ?? []).length > 0,
  });
  const [{ ip, ipMode } = {}] = found?.status?.loadBalancer?.ingress ?? [];
  assert.equal(ipMode, 'VIP');
  await untilPage(`http://${ip}:${BALANCED}/`);
  assert.match(await inPod('wget', '-qO-', `http://${ip}:${BALANCED}/`), /It runs/);
  const check = `http://127.0.0.1:${service.spec?.healthCheckNodePort}/`;
  const { stdout } = await run('curl', ['-s', '-i', '--retry', '5', '--retry-connrefused', check]);
  assert.match(stdout, /^HTTP\/1\.1 200 .*x-load-balancing-endpoint-weight: 2\r\n.*"localEndpoints": 2,/is);
});

test('what a program of the node listens on is given to no load balancer', { skip }, async () => {
  await expose('greedy', {
    type: 'LoadBalancer',
    ports: [{ port: Number(new URL((await loadKubeconfig(cluster.kubeconfig)).wire.server).port) }],
  });
  const [event] = await waitFor({
    client: cluster.client,
    resource: EVENTS,
    namespace: 'default',
    what: 'a word about the conflict',
    until: (events) => events.some(({ reason }) => reason === 'SyncLoadBalancerFailed'),
  }).then((events) => events.filter(({ reason }) => reason === 'SyncLoadBalancerFailed'));
  assert.match(
    event?.message ?? '',
    /^Error syncing load balancer: failed to ensure load balancer: port tcp\/\d+ .* in use/,
  );
});

test('rules that somebody took away come back', { skip }, async () => {
  const service = await expose('again', {});
  await untilPage(`http://${service.spec?.clusterIP}/`);
  // Rules and bridge of a node have one name.
  const [table = ''] =
    Object.entries(networkInterfaces()).find(([, list]) =>
      list?.some(({ address }) => address === cluster.ranges?.podGateway),
    ) ?? [];
  await run('nft', ['delete', 'table', 'ip', table]);
  await untilPage(`http://${service.spec?.clusterIP}/`);
});

test('network policies hold pods back', { skip }, async (t) => {
  assert.ok(kubectl);
  const places = ['x', 'y'].flatMap((namespace) => ['a', 'b'].map((pod) => ({ namespace, pod })));
  const matrix = { client: cluster.client, kubectl, kubeconfig: cluster.kubeconfig, places };
  await makeMatrix(matrix);
  for (const scenario of SCENARIOS) await t.test(scenario.name, () => holds(matrix, scenario));
});

test('a pod is held back from its first instruction on', { skip }, async () => {
  assert.ok(kubectl);
  const kube = (...args: readonly string[]): Promise<string> => kubectlOutput(kubectl, cluster.kubeconfig, args);
  const { items } = await cluster.client.resource(PODS, 'default').list({ labelSelector: 'app=web' });
  const address = items[0]?.status?.podIP ?? '';
  await cluster.client.resource(NETWORK_POLICIES, 'default').create({
    metadata: { name: 'silent' },
    spec: { podSelector: { matchLabels: { app: 'silent' } }, policyTypes: ['Egress'] },
  });
  // Again and again in the first instants: one that goes through is one too many.
  const tries = `i=0; while [ $i -lt 6 ]; do timeout 0.1 nc ${address} 80 </dev/null && echo open; i=$((i+1)); done; echo done`;
  const names = Array.from({ length: 3 }, (_, at) => `silent-${at}`);
  for (const name of names) {
    const command = ['--command', '--', 'sh', '-c', tries];
    await kube('run', name, `--image=${IMAGE}`, '--restart=Never', '--labels=app=silent', ...command);
  }
  const done = names.map((name) => `pod/${name}`);
  await kube('wait', '--for=jsonpath={.status.phase}=Succeeded', ...done, '--timeout=50s').catch(
    async (error: unknown) => {
      // Waited for in vain once, beside another cluster that was being taken down: whoever sees it next is told more.
      assert.fail(`${String(error)}\n${await kube('describe', ...done)}`);
    },
  );
  for (const name of names) {
    const said = await kube('logs', name);
    assert.match(said, /done/);
    assert.doesNotMatch(said, /open/);
  }
});
