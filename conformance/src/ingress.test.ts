/** Ingresses as users make them, with real containers: by name, over TLS, from pods; and for nobody else. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { Agent, get } from 'node:http';
import type { RequestOptions } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { setTimeout } from 'node:timers/promises';
import { DEPLOYMENTS, INGRESSES, PODS } from '@binnacle/api';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import {
  findKubectl,
  kubectlOutput,
  lookUntil,
  makeFolder,
  runKubectl,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import { deployment, IMAGE } from './manifests.ts';

const kubectl = await findKubectl();
const skip = kubectl === undefined ? 'no kubectl on this machine' : await skipWithoutContainerd();
const run = promisify(execFile);
/** Where nobody of the cluster is. */
const NET = (process.pid % 63) * 4;
const FOREIGN = {
  namespace: `bn-foreign-${process.pid}`,
  link: `bnf${process.pid}`,
  ours: `198.51.100.${NET + 1}`,
  theirs: `198.51.100.${NET + 2}`,
};
let cluster: OneProcessCluster;
let doors: { readonly ip: string; readonly http: number; readonly https: number };

async function kube(...args: readonly string[]): Promise<string> {
  assert.ok(kubectl);
  return kubectlOutput(kubectl, cluster.kubeconfig, args);
}

before(async () => {
  if (skip !== false) return;
  cluster = await startContainerdCluster(['--ingress-ports', '0,0']);
  await cluster.client.resource(DEPLOYMENTS, 'default').create(deployment('web', 2));
  await kube('run', 'client', `--image=${IMAGE}`, '--restart=Never', '--command', '--', 'sleep', '1000');
  await kube('expose', 'deployment', 'web', '--port=80');
  const folder = makeFolder();
  const life = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000, client: false };
  const pair = issueCertificate(makeAuthority('test', life), { commonName: 'shop', hostnames: ['shop.example'] }, life);
  const [cert, key] = [join(folder.path, 'tls.crt'), join(folder.path, 'tls.key')];
  await writeFile(cert, pair.certificate);
  await writeFile(key, pair.key);
  await kube('create', 'secret', 'tls', 'shop', `--cert=${cert}`, `--key=${key}`);
  folder.remove();
  await kube('create', 'ingress', 'shop', '--rule=shop.example/*=web:80,tls=shop');
  await kube('wait', '--for=condition=Ready', 'pod', '--all', '--timeout=60s');
  const [found] = await waitFor({
    client: cluster.client,
    resource: INGRESSES,
    namespace: 'default',
    name: 'shop',
    what: 'an address',
    until: ([one]) => (one?.status?.loadBalancer?.ingress ?? []).length > 0,
  });
  const [{ ip = '', ports = [] } = {}] = found?.status?.loadBalancer?.ingress ?? [];
  doors = { ip, http: ports[0]?.port ?? 0, https: ports[1]?.port ?? 0 };
});

after(async () => {
  if (skip === false) await cluster.stop();
});

const curl = async (...args: readonly string[]): Promise<string> =>
  (await run('curl', ['-s', '-m', '5', ...args])).stdout;

test('a page by the name of its host; another host has none', { skip }, async () => {
  const url = `http://${doors.ip}:${doors.http}/`;
  assert.match(await curl('-H', 'Host: shop.example', url), /It runs/);
  assert.match(await curl('-i', url), /^HTTP\/1.1 404 /);
  assert.match(
    await kube('get', 'ingress', 'shop'),
    new RegExp(`shop +binnacle +shop\\.example +${doors.ip} +80, 443`),
  );
});

test('over TLS, with the certificate of the Secret, by HTTP/2', { skip }, async () => {
  const url = `https://shop.example:${doors.https}/`;
  const args = ['-k', '--resolve', `shop.example:${doors.https}:127.0.0.1`, '-w', '%{http_version} %{certs}', url];
  const told = await curl(...args).catch(() => '');
  assert.match(told, /It runs[^]*^2 /m);
  const { stdout } = await run('openssl', ['version']).catch(() => ({ stdout: '' }));
  if (stdout === '') return;
  const shown = await run('sh', [
    '-c',
    `openssl s_client -connect 127.0.0.1:${doors.https} -servername shop.example </dev/null 2>/dev/null | openssl x509 -noout -subject`,
  ]);
  assert.match(shown.stdout, /CN = shop/);
});

test('from a pod, by the address of the node', { skip }, async () => {
  const page = ['wget', '-qO-', '--header', 'Host: shop.example', `http://${doors.ip}:${doors.http}/`];
  assert.match(await kube('exec', 'client', '--', ...page), /It runs/);
});

test('nobody outside of the machine and its pods is let in', { skip }, async () => {
  const { namespace, link, ours, theirs } = FOREIGN;
  const ip = (...args: readonly string[]) => run('ip', [...args]);
  await ip('netns', 'add', namespace);
  try {
    await ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    await ip('addr', 'add', `${ours}/30`, 'dev', link);
    await ip('link', 'set', link, 'up');
    await ip('-n', namespace, 'addr', 'add', `${theirs}/30`, 'dev', 'eth0');
    await ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    const ask = ['netns', 'exec', namespace, 'curl', '-s', '-m', '3', '-H', 'Host: shop.example'];
    // Reset or an empty reply: the connection is ended before a word is said.
    await assert.rejects(ip(...ask, `http://${ours}:${doors.http}/`), (error: { code?: number }) =>
      [52, 56].includes(error.code ?? 0),
    );
  } finally {
    await ip('netns', 'del', namespace);
  }
});

/** Between two questions of one who asks: hundreds come in a rolling update, and others have the processors too. */
const PAUSE_MS = 20;

/** Asks again and again until it is told to stop; what went wrong, and how often it went well. */
function load(ask: () => Promise<string>): { stop(): Promise<{ readonly good: number; readonly bad: string[] }> } {
  const state = { isOver: false, good: 0, bad: [] as string[] };
  const worker = async (): Promise<void> => {
    while (!state.isOver) {
      try {
        const page = await ask();
        if (page.includes('It runs')) state.good++;
        else state.bad.push(page.slice(0, 100));
      } catch (error) {
        state.bad.push(String(error));
      }
      await setTimeout(PAUSE_MS);
    }
  };
  const workers = Promise.all([worker(), worker()]);
  return {
    async stop() {
      state.isOver = true;
      await workers;
      return state;
    },
  };
}

/** A page over a connection of its own, or over kept ones. */
function fetchPage(options: RequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ timeout: 5000, ...options }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => (text += part));
      reply.once('end', () => resolve(text));
      reply.once('error', reject);
    });
    request.once('timeout', () => request.destroy(new RangeError('no answer in time')));
    request.once('error', reject);
  });
}

/** As users write them: an instant before they go, in which nobody new is sent to them. */
const GRACEFUL = {
  spec: {
    replicas: 3,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: {
      spec: {
        terminationGracePeriodSeconds: 10,
        containers: [{ name: 'web', lifecycle: { preStop: { sleep: { seconds: 4 } } } }],
      },
    },
  },
} as const;

async function until(ask: () => Promise<string>): Promise<void> {
  const look = (): Promise<string> => ask().catch(String);
  await lookUntil({ what: 'the page', look, until: (page) => page.includes('It runs'), deadlineMs: 20_000 });
}

test('a rolling update fails no request: by the ClusterIP, and by the Ingress', { skip }, async () => {
  const rolling = deployment('rolling', 3);
  const [container] = rolling.spec.template.spec?.containers ?? [];
  assert.ok(container);
  const template = {
    ...rolling.spec.template,
    spec: {
      ...GRACEFUL.spec.template.spec,
      containers: [{ ...container, ...GRACEFUL.spec.template.spec.containers[0] }],
    },
  };
  await cluster.client
    .resource(DEPLOYMENTS, 'default')
    .create({ ...rolling, spec: { ...rolling.spec, strategy: GRACEFUL.spec.strategy, template } });
  await kube('expose', 'deployment', 'rolling', '--port=80');
  await kube('create', 'ingress', 'rolling', '--rule=rolling.example/*=rolling:80');
  await kube('rollout', 'status', 'deployment/rolling', '--timeout=60s');
  const host = await kube('get', 'service', 'rolling', '-o', 'jsonpath={.spec.clusterIP}');
  const agent = new Agent({ keepAlive: true });
  const headers = { host: 'rolling.example' };
  const byService = (): Promise<string> => fetchPage({ host, port: 80, path: '/', agent: false });
  const byIngress = (): Promise<string> =>
    fetchPage({ host: '127.0.0.1', port: doors.http, path: '/', headers, agent });
  await until(byService);
  await until(byIngress);
  const loads = [load(byService), load(byIngress)];
  await kube('set', 'env', 'deployment/rolling', 'A=b');
  await kube('rollout', 'status', 'deployment/rolling', '--timeout=120s');
  await waitFor({
    client: cluster.client,
    resource: PODS,
    namespace: 'default',
    what: 'the old pods to be gone',
    until: (pods) => pods.filter(({ metadata }) => metadata.labels?.['app'] === 'rolling').length === 3,
  });
  const [service, ingress] = await Promise.all(loads.map((one) => one.stop()));
  agent.destroy();
  assert.deepEqual([service?.bad, ingress?.bad], [[], []]);
  assert.ok((service?.good ?? 0) > 100 && (ingress?.good ?? 0) > 100);
});

test('pods that go are asked no more; the last Ingress closes the ports', { skip }, async () => {
  await kube('scale', 'deployment', 'web', '--replicas=1');
  await waitFor({
    client: cluster.client,
    resource: PODS,
    namespace: 'default',
    what: 'one pod less',
    until: (pods) => pods.filter(({ metadata }) => metadata.labels?.['app'] === 'web').length === 1,
  });
  const url = `http://127.0.0.1:${doors.http}/`;
  for (let at = 0; at < 5; at++) assert.match(await curl('-H', 'Host: shop.example', url), /It runs/);
  await kube('delete', 'ingress', '--all');
  const look = async (): Promise<object> => {
    assert.ok(kubectl);
    const { code } = await runKubectl(kubectl, cluster.kubeconfig, ['get', 'ingress', 'shop']);
    const isOpen = await curl(url).then(
      () => true,
      () => false,
    );
    return { isThere: code === 0, isOpen };
  };
  const until = (seen: object): boolean => Object.values(seen).every((value) => value === false);
  await lookUntil({ what: 'the Ingress to be gone, and its port closed', look, until, deadlineMs: 10_000 });
});

test('the proxy is killed: who asks by a ClusterIP notices nothing', { skip }, async () => {
  const host = await kube('get', 'service', 'rolling', '-o', 'jsonpath={.spec.clusterIP}');
  const asking = load(() => fetchPage({ host, port: 80, path: '/', agent: false }));
  await cluster.kill();
  await cluster.restart();
  await kube('wait', '--for=condition=Ready', 'pod', '-l', 'app=rolling', '--timeout=60s');
  const { good, bad } = await asking.stop();
  assert.deepEqual(bad, []);
  assert.ok(good > 100);
});
