/** A cluster on two machines of different networks: namespaces behind a router, pods' packets wrapped in UDP. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeTestFolder } from '@binnacle/base/testing';
import { findKubectl, skipWithoutContainerd } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const kubectl = await findKubectl();
const skip = kubectl === undefined ? 'no kubectl on this machine' : await skipWithoutContainerd();
const PROGRAM = fileURLToPath(new URL('../../apps/binnacle/src/main.ts', import.meta.url));
const TAG = `bm${process.pid}`;
const ROUTER = `${TAG}r`;
const MACHINES = ['a', 'b'].map((name, at) => ({
  name,
  ns: `${TAG}${name}`,
  address: `198.18.${at + 1}.1`,
  router: `198.18.${at + 1}.254`,
  podCidr: `10.241.${at}.0/24`,
}));
const [FIRST, SECOND] = MACHINES as [(typeof MACHINES)[0], (typeof MACHINES)[0]];
const SERVER = `https://${FIRST.address}:6443`;
const folder = makeTestFolder().path;
const children: ChildProcess[] = [];

const ip = (...args: readonly string[]): string => execFileSync('ip', args, { encoding: 'utf8' });
const inside = (ns: string, ...args: readonly string[]): readonly string[] => [`--net=/run/netns/${ns}`, ...args];
const binnacle = (ns: string, ...args: readonly string[]): string =>
  execFileSync('nsenter', inside(ns, process.execPath, PROGRAM, ...args), { encoding: 'utf8', stdio: 'pipe' });

/** Starts a command that stays, and waits for its first line. */
async function start(ns: string, ...args: readonly string[]): Promise<void> {
  const child = spawn('nsenter', inside(ns, process.execPath, PROGRAM, ...args), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ended = once(child, 'exit').then(() => Promise.reject(new TypeError(`${args[0]} ended`)));
  ended.catch(() => undefined);
  await Promise.race([once(child.stdout, 'data'), ended]);
}

function kubeconfig(user: string, ...groups: readonly string[]): string {
  const path = join(folder, `${user.replace(/[^a-z]/g, '-')}.kubeconfig`);
  const who = ['--user', user, ...groups.flatMap((group) => ['--group', group])];
  writeFileSync(path, binnacle(FIRST.ns, 'kubeconfig', '--data-dir', join(folder, 'a'), '--server', SERVER, ...who));
  return path;
}

const ask = (...args: readonly string[]): string =>
  execFileSync(
    'nsenter',
    inside(FIRST.ns, kubectl?.path ?? '', '--kubeconfig', join(folder, 'admin.kubeconfig'), ...args),
    {
      encoding: 'utf8',
    },
  );

const WEB = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'main',
            image: IMAGE,
            command: ['sh', '-c', 'echo $NODE > /tmp/index.html; exec httpd -f -p 8080 -h /tmp'],
            env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

function makeMachines(): void {
  ip('netns', 'add', ROUTER);
  ip('netns', 'exec', ROUTER, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  for (const { ns, address, router } of MACHINES) {
    ip('netns', 'add', ns);
    ip('-n', ns, 'link', 'set', 'lo', 'up');
    ip('-n', ns, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', ns, 'netns', ROUTER);
    ip('-n', ROUTER, 'addr', 'add', `${router}/24`, 'dev', ns);
    ip('-n', ROUTER, 'link', 'set', ns, 'up');
    ip('-n', ns, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', ns, 'link', 'set', 'eth0', 'up');
    ip('-n', ns, 'route', 'add', 'default', 'via', router);
    // As Docker leaves a machine.
    ip('netns', 'exec', ns, 'iptables', '-P', 'FORWARD', 'DROP');
  }
}

before(async () => {
  if (skip !== false) return;
  makeMachines();
  const image = join(folder, 'image.tar');
  execFileSync(process.execPath, [PROGRAM, 'image', 'build-example', image], { stdio: 'ignore' });
  const common = ({ name, address, podCidr }: (typeof MACHINES)[0]): string[] => [
    ...['--data-dir', join(folder, name), '--node-name', name, '--node-ip', address, '--pod-cidr', podCidr],
    ...['--pod-network', 'vxlan', '--runtime', 'containerd', '--image', image, '--output', 'json'],
  ];
  await start(FIRST.ns, 'up', ...common(FIRST), '--listen', `${FIRST.address}:6443`, '--ingress', 'off');
  kubeconfig('admin', 'system:masters');
  const kubeletFile = join(folder, 'kubelet.json');
  const kind = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  writeFileSync(kubeletFile, JSON.stringify({ ...kind, clusterDNS: ['10.96.0.10'], clusterDomain: 'cluster.local' }));
  const node = kubeconfig('system:node:b', 'system:nodes');
  await start(SECOND.ns, 'kubelet', ...common(SECOND), '--kubeconfig', node, '--config', kubeletFile);
  const proxyFile = join(folder, 'proxy.json');
  const proxyKind = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' };
  writeFileSync(proxyFile, JSON.stringify({ ...proxyKind, clusterCIDR: '10.241.0.0/16' }));
  const proxy = ['--kubeconfig', kubeconfig('system:kube-proxy'), '--config', proxyFile, '--hostname-override', 'b'];
  await start(SECOND.ns, 'proxy', ...proxy, '--pod-network', 'vxlan');
});

after(async () => {
  if (skip !== false) return;
  for (const child of children.toReversed()) {
    const ended = once(child, 'exit');
    if (child.kill('SIGTERM')) await ended;
  }
  binnacle(SECOND.ns, 'proxy', '--cleanup');
  for (const { ns, name } of MACHINES.toReversed()) binnacle(ns, 'down', '--data-dir', join(folder, name));
  for (const { ns } of MACHINES) assert.doesNotMatch(ip('-n', ns, '-br', 'link'), /bn|binnacle/, 'nothing is left');
  for (const ns of [ROUTER, ...MACHINES.map((machine) => machine.ns)]) ip('netns', 'del', ns);
  rmSync(folder, { recursive: true, force: true });
});

test('pods of two machines meet each other by address and by name', { skip }, () => {
  const manifest = join(folder, 'web.json');
  writeFileSync(manifest, JSON.stringify(WEB));
  ask('apply', '-f', manifest);
  ask('create', 'service', 'clusterip', 'web', '--tcp=80:8080');
  ask('rollout', 'status', 'daemonset/web', '--timeout=60s');
  const pods = ask('get', 'pods', '-o', 'jsonpath={range .items[*]}{.metadata.name} {.status.podIP}{"\\n"}{end}');
  const rows = pods
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  assert.equal(rows.length, 2);
  for (const [name = ''] of rows) {
    const heard = rows.map(([, address]) => ask('exec', name, '--', 'wget', '-qO-', `http://${address}:8080/`).trim());
    assert.deepEqual(heard.toSorted(), ['a', 'b'], 'by their addresses');
    const many = 'i=0; while [ $i -lt 24 ]; do wget -qO- http://web/; i=$((i+1)); done';
    const byName = ask('exec', name, '--', 'sh', '-c', many).trim().split('\n');
    assert.deepEqual([...new Set(byName)].toSorted(), ['a', 'b'], 'by the name of their Service');
    assert.equal(ask('exec', name, '--', 'cat', '/sys/class/net/eth0/mtu').trim(), '1450');
  }
});

test('a network policy holds the pods of the second machine back too, and lets in whom it names', { skip }, () => {
  const policy = (from: object): string =>
    JSON.stringify({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'web' },
      spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'], ingress: [from] },
    });
  const pods = ask(
    'get',
    'pods',
    '-o',
    'jsonpath={range .items[*]}{.spec.nodeName} {.metadata.name} {.status.podIP}{"\\n"}{end}',
  );
  const rows = new Map(
    pods
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([node = '', name = '', address = '']) => [node, { name, address }]),
  );
  const [asker, asked] = [rows.get('a'), rows.get('b')];
  assert.ok(asker !== undefined && asked !== undefined);
  const hears = `timeout 2 wget -qO- http://${asked.address}:8080/`;
  /** What is heard at last, once that is so; or after so many tries. */
  const heardOnce = (condition: string, tries: number): string => {
    const wait = `i=0; until ${condition} || [ $i -ge ${tries} ]; do i=$((i+1)); done >/dev/null`;
    return ask('exec', asker.name, '--', 'sh', '-c', `${wait}; ${hears} || echo nobody`).trim();
  };
  const manifest = join(folder, 'policy.json');
  writeFileSync(manifest, policy({ from: [{ podSelector: { matchLabels: { app: 'nobody' } } }] }));
  ask('apply', '-f', manifest);
  assert.equal(heardOnce(`! ${hears}`, 1000), 'nobody');
  writeFileSync(manifest, policy({ from: [{ podSelector: { matchLabels: { app: 'web' } } }] }));
  ask('apply', '-f', manifest);
  assert.equal(heardOnce(hears, 30), 'b');
  ask('delete', '-f', manifest);
});
