/** `binnacle proxy` alone, on a machine of its own (a network namespace), against an API server elsewhere. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { ENDPOINT_SLICES, NETWORK_POLICIES, NODES, PODS, SERVICE_ACCOUNTS, SERVICES } from '@binnacle/api';
import { makeTestFolder } from '@binnacle/base/testing';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';

const PROGRAM = join(import.meta.dirname, '../../launch.mjs');
const READY_MS_MAX = 60_000;
const TAG = `bx${process.pid}`;
const NS = `${TAG}n`;
/** The API server's end of the link between the two, and the proxy's. */
const [SERVER, MACHINE] = ['198.51.100.1', '198.51.100.2'];
const METRICS = `${MACHINE}:10249`;
const HEALTH_PORT = 31_999;

const root = makeTestFolder().path;
const kubeconfig = join(root, 'kubeconfig');
const children: ChildProcess[] = [];
const ip = (...args: readonly string[]): string => execFileSync('ip', args, { encoding: 'utf8' });
const inside = (...args: readonly string[]): string => ip('netns', 'exec', NS, ...args);

/** As kubeadm writes it: fields that say nothing, and some that do. */
const CONFIGURATION = {
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  bindAddress: '0.0.0.0',
  clusterCIDR: '10.244.0.0/16',
  conntrack: { maxPerCore: 0, min: null, tcpBeLiberal: false, tcpCloseWaitTimeout: '2h0m0s', udpTimeout: '0s' },
  healthzBindAddress: '',
  metricsBindAddress: METRICS,
  mode: '',
  oomScoreAdj: null,
};

async function start(command: string, ...args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const signal = AbortSignal.timeout(READY_MS_MAX);
  const ended = once(child, 'exit').then(() => Promise.reject(new TypeError(`${args.join(' ')} ended`)));
  // It is of no matter afterwards.
  ended.catch(() => undefined);
  await Promise.race([once(createInterface(child.stdout), 'line', { signal }), ended]);
  return child;
}

async function fill(client: Client): Promise<void> {
  const node = await client.resource(NODES).create({
    metadata: { name: 'n1' },
    spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] },
  });
  const addresses = [{ type: 'InternalIP', address: MACHINE }];
  await client.resource(NODES).updateStatus({ ...node, status: { ...node.status, addresses } });
  await client.resource(SERVICES, 'default').create({
    metadata: { name: 'web' },
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: HEALTH_PORT,
      ports: [{ port: 80, protocol: 'TCP' }],
    },
  });
  await client.resource(ENDPOINT_SLICES, 'default').create({
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.244.1.5'], conditions: { ready: true }, nodeName: 'n1' }],
    ports: [{ name: '', port: 8080, protocol: 'TCP' }],
  });
  await client.resource(SERVICE_ACCOUNTS, 'default').create({ metadata: { name: 'default' } });
  const pod = await client.resource(PODS, 'default').create({
    metadata: { name: 'web' },
    spec: { nodeName: 'n1', automountServiceAccountToken: false, containers: [{ name: 'main', image: 'web' }] },
  });
  const status = { ...pod.status, phase: 'Running' as const, podIP: '10.244.1.5', podIPs: [{ ip: '10.244.1.5' }] };
  await client.resource(PODS, 'default').updateStatus({ ...pod, status });
  await client.resource(NETWORK_POLICIES, 'default').create({
    metadata: { name: 'nobody' },
    spec: { podSelector: {}, policyTypes: ['Ingress'] },
  });
}

before(async () => {
  ip('netns', 'add', NS);
  ip('link', 'add', TAG, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', NS);
  ip('addr', 'add', `${SERVER}/30`, 'dev', TAG);
  ip('link', 'set', TAG, 'up');
  ip('-n', NS, 'addr', 'add', `${MACHINE}/30`, 'dev', 'eth0');
  for (const link of ['lo', 'eth0']) ip('-n', NS, 'link', 'set', link, 'up');
  const place = ['--data-dir', join(root, 'data'), '--kubeconfig', kubeconfig, '--listen', `${SERVER}:0`];
  await start(process.execPath, PROGRAM, 'apiserver', ...place, '--output', 'json');
  const wire = createHttpWire((await loadKubeconfig(kubeconfig)).wire);
  await fill(createClient(wire));
  await wire.close();
});

after(async () => {
  for (const child of children.toReversed()) {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
  }
  ip('link', 'del', TAG);
  ip('netns', 'del', NS);
  rmSync(root, { recursive: true });
});

const ask = async (address: string, path: string): Promise<readonly [status: number, body: string]> => {
  const reply = await fetch(`http://${address}${path}`);
  return [reply.status, await reply.text()];
};

test('it is asked about its health, its figures and a Service, holds pods back, and leaves nothing after --cleanup', async () => {
  const file = join(root, 'proxy.json');
  writeFileSync(file, JSON.stringify(CONFIGURATION));
  const monitor = spawn('ip', ['netns', 'exec', NS, 'nft', 'monitor', 'new', 'elements'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(monitor);
  const held = (async () => {
    for await (const line of createInterface(monitor.stdout)) if (line.includes('ingress-pods4')) return line;
    return '';
  })();
  const flags = ['--kubeconfig', kubeconfig, '--config', file, '--hostname-override', 'n1', '--pod-network', 'host-gw'];
  const proxy = await start('ip', 'netns', 'exec', NS, process.execPath, PROGRAM, 'proxy', ...flags);

  const [status, told] = await ask(`${MACHINE}:${HEALTH_PORT}`, '/');
  assert.deepEqual([status, JSON.parse(told).localEndpoints], [200, 1]);

  const health = `${MACHINE}:10256`;
  const [healthz, whole] = await ask(health, '/healthz');
  assert.deepEqual([healthz, JSON.parse(whole).nodeEligible], [503, false], 'the node is about to be deleted');
  assert.equal((await ask(health, '/livez'))[0], 200);
  assert.equal((await ask(health, '/metrics'))[0], 404, 'figures are told at their own address');
  assert.match((await ask(METRICS, '/metrics'))[1], /^kubeproxy_sync_proxy_rules_last_timestamp_seconds [1-9]/m);
  assert.deepEqual(await ask(METRICS, '/proxyMode'), [200, 'nftables']);
  assert.equal(inside('cat', '/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_close_wait').trim(), '7200');

  assert.match(await held, /10\.244\.1\.5/, 'the pod is held back');
  assert.match(inside('nft', 'list', 'tables'), /inet binnacle-proxy-policies/);

  const ended = once(proxy, 'exit');
  proxy.kill('SIGTERM');
  await ended;
  assert.match(inside('nft', 'list', 'tables'), /binnacle-proxy/, 'connections go on');
  inside(process.execPath, PROGRAM, 'proxy', '--cleanup');
  assert.equal(inside('nft', 'list', 'tables'), '');
});
