/** Ways between nodes on a real kernel: three machines as namespaces, each with a pod, behind a router of two networks. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { toolRunner } from '../machine/run-tool.ts';
import { decidePodRoutes } from '../pod-routes.ts';
import type { NodePlace, PodNetworkMode } from '../pod-routes.ts';
import { PodLinks } from './pod-links.ts';

const TAG = `bp${process.pid}`;
const ROUTER = `${TAG}r`;
/** Two of one network, and one of another. */
const NODES = ['192.0.2.1', '192.0.2.2', '198.51.100.3'].map(
  (address, at): NodePlace & { readonly ns: string; readonly pod: string } => ({
    name: `n${at}`,
    addresses: [address, `fd01::${at + 1}`],
    podRanges: [`10.77.${at}.0/24`, `fd77:0:0:${at}::/64`],
    ns: `${TAG}n${at}`,
    pod: `${TAG}p${at}`,
  }),
);
const [FIRST, NEIGHBOUR, FAR] = NODES as [(typeof NODES)[0], (typeof NODES)[0], (typeof NODES)[0]];

const ip = (...args: readonly string[]): string => execFileSync('ip', args, { encoding: 'utf8' });
const inside = (ns: string, ...args: readonly string[]): string => ip('netns', 'exec', ns, ...args);

function makeMachine({
  ns,
  pod,
  addresses: [address = '', address6 = ''],
  podRanges: [four = '', six = ''],
}: (typeof NODES)[0]): void {
  for (const one of [ns, pod]) {
    ip('netns', 'add', one);
    inside(one, 'sysctl', '-qw', 'net.ipv6.conf.all.accept_dad=0', 'net.ipv6.conf.default.accept_dad=0');
    ip('-n', one, 'link', 'set', 'lo', 'up');
  }
  inside(
    ns,
    'sysctl',
    '-qw',
    'net.ipv4.ip_forward=1',
    'net.ipv6.conf.all.forwarding=1',
    'net.ipv4.conf.all.rp_filter=1',
  );
  const network = address.replace(/\d+$/, '');
  ip('-n', ns, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', ns, 'netns', ROUTER);
  ip('-n', ROUTER, 'link', 'set', ns, 'master', `br${network.slice(0, 3)}`, 'up');
  ip('-n', ns, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  ip('-n', ns, 'addr', 'add', `${address6}/64`, 'dev', 'eth0');
  ip('-n', ns, 'link', 'set', 'eth0', 'up');
  ip('-n', ns, 'route', 'add', 'default', 'via', `${network}254`);
  ip('-n', pod, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'pod0', 'netns', ns);
  for (const [range, bits] of [
    [four.replace(/0\/24$/, ''), 24],
    [six.replace(/\/64$/, ''), 64],
  ] as const) {
    ip('-n', ns, 'addr', 'add', `${range}1/${bits}`, 'dev', 'pod0');
    ip('-n', pod, 'addr', 'add', `${range}2/${bits}`, 'dev', 'eth0');
  }
  ip('-n', ns, 'link', 'set', 'pod0', 'up');
  ip('-n', pod, 'link', 'set', 'eth0', 'up');
  ip('-n', pod, 'route', 'add', 'default', 'via', four.replace(/0\/24$/, '1'));
  ip('-n', pod, 'route', 'add', 'default', 'via', six.replace(/\/64$/, '1'));
}

before(() => {
  ip('netns', 'add', ROUTER);
  inside(ROUTER, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  for (const [bridge, address] of [
    ['br192', '192.0.2.254/24'],
    ['br198', '198.51.100.254/24'],
  ] as const) {
    ip('-n', ROUTER, 'link', 'add', bridge, 'type', 'bridge');
    ip('-n', ROUTER, 'addr', 'add', address, 'dev', bridge);
    ip('-n', ROUTER, 'link', 'set', bridge, 'up');
  }
  for (const node of NODES) makeMachine(node);
});

after(() => {
  for (const ns of [ROUTER, ...NODES.flatMap(({ ns: node, pod }) => [node, pod])]) ip('netns', 'del', ns);
});

const linksOf = (mode: PodNetworkMode, { ns }: (typeof NODES)[0]): PodLinks =>
  new PodLinks({ name: 'bntest', mode, run: toolRunner(['ip', 'netns', 'exec', ns]) });

async function keepAll(mode: PodNetworkMode, nodes: readonly (typeof NODES)[0][]): Promise<void> {
  for (const node of nodes) await linksOf(mode, node).keep(node, decidePodRoutes(node, nodes, mode).routes);
}

async function removeAll(mode: PodNetworkMode): Promise<void> {
  for (const node of NODES) {
    await linksOf(mode, node).remove();
    assert.doesNotMatch(ip('-n', node.ns, 'route'), /proto 98/);
    assert.doesNotMatch(ip('-n', node.ns, '-br', 'link'), /bntest/);
  }
}

/** Whether a packet of so many bytes is answered; `no`: none is expected, and soon known. */
function reaches(from: string, to: string, { bytes = 56, no = false } = {}): boolean {
  try {
    inside(from, 'busybox', 'ping', '-c', '1', '-W', no ? '1' : '10', '-s', `${bytes}`, to);
    return true;
  } catch {
    return false;
  }
}

test('neighbours reach each other’s pods straight, in both families', async () => {
  assert.equal(reaches(FIRST.pod, '10.77.1.2', { no: true }), false, 'before');
  await keepAll('host-gw', [FIRST, NEIGHBOUR]);
  assert.equal(reaches(FIRST.pod, 'fd77:0:0:1::2'), true, 'by IPv6');
  assert.equal(reaches(FIRST.pod, '10.77.1.2', { bytes: 1472 }), true, 'whole packets');
  assert.equal(reaches(NEIGHBOUR.ns, '10.77.0.2'), true, 'from a node');
  const links = linksOf('host-gw', FIRST);
  const { routes } = decidePodRoutes(FIRST, [NEIGHBOUR, FAR], 'host-gw');
  const fours = routes.filter(({ range }) => !range.includes(':'));
  await assert.rejects(links.keep(FIRST, fours), { code: 'network' }, 'one is no neighbour');
  assert.equal(reaches(FIRST.pod, '10.77.1.2'), true, 'the others hold');
  await removeAll('host-gw');
  assert.equal(reaches(FIRST.pod, '10.77.1.2', { no: true }), false, 'after');
});

test('by VXLAN all reach all across a router, in both families, from nodes too', async () => {
  await keepAll('vxlan', NODES);
  // What is there is kept.
  await keepAll('vxlan', NODES);
  for (const [from, at] of [
    [FIRST, 1],
    [FIRST, 2],
    [FAR, 0],
  ] as const) {
    assert.equal(reaches(from.pod, `10.77.${at}.2`, { bytes: 1422 }), true, `${from.name} to ${at}, as large as fits`);
    assert.equal(reaches(from.pod, `fd77:0:0:${at}::2`), true, `${from.name} to ${at} by IPv6`);
    assert.equal(reaches(from.ns, `10.77.${at}.2`), true, `the node ${from.name} itself`);
  }
  assert.match(ip('-n', FIRST.ns, 'link', 'show', 'dev', 'bntestx'), /mtu 1450/);
});

test('by VXLAN nodes reach each other that name their addresses in another order', async () => {
  const turned = { ...NEIGHBOUR, addresses: NEIGHBOUR.addresses.toReversed() };
  await keepAll('vxlan', [FIRST, turned]);
  assert.equal(reaches(FIRST.pod, '10.77.1.2'), true, 'there');
  assert.equal(reaches(NEIGHBOUR.pod, 'fd77:0:0:0::2'), true, 'and back');
  await removeAll('vxlan');
});

test('a node that gets other pods has no tunnel address of those before', async () => {
  const addresses = (): string =>
    ip('-n', FIRST.ns, '-br', 'addr', 'show', 'dev', 'bntestx', 'scope', 'global').trim().replaceAll(/ +/g, ' ');
  const links = linksOf('vxlan', FIRST);
  await links.keep({ ...FIRST, podRanges: ['10.78.0.0/24', 'fd78::/64'] }, []);
  await links.keep(FIRST, []);
  assert.match(addresses(), / 10\.77\.0\.0\/32 fd77::\/128$/);
  await links.keep({ ...FIRST, podRanges: FIRST.podRanges.slice(0, 1) }, []);
  assert.match(addresses(), / 10\.77\.0\.0\/32$/);
  await links.remove();
});

test('a tunnel that another has on this machine is refused by its name, with what to do', async () => {
  const vxlan = ['type', 'vxlan', 'id', '1', 'dstport', '8472', 'local', '192.0.2.1', 'dev', 'eth0'];
  ip('-n', FIRST.ns, 'link', 'add', 'flannel.1', ...vxlan);
  try {
    await assert.rejects(linksOf('vxlan', FIRST).keep(FIRST, []), /flannel\.1.*--pod-network=host-gw/);
  } finally {
    ip('-n', FIRST.ns, 'link', 'del', 'flannel.1');
  }
});

test('a node that goes is reached no more, one that moves is found where it is', async () => {
  await keepAll('vxlan', NODES);
  const others = decidePodRoutes(FIRST, [NEIGHBOUR], 'vxlan');
  await linksOf('vxlan', FIRST).keep(FIRST, others.routes);
  assert.equal(reaches(FIRST.pod, '10.77.2.2', { no: true }), false, 'it went');
  assert.equal(reaches(FIRST.pod, '10.77.1.2'), true);
  assert.doesNotMatch(ip('-n', FIRST.ns, 'neigh', 'show', 'dev', 'bntestx'), /10\.77\.2\.0/);
  assert.doesNotMatch(inside(FIRST.ns, 'bridge', 'fdb', 'show', 'dev', 'bntestx'), /198\.51\.100\.3/);
  ip('-n', NEIGHBOUR.ns, 'addr', 'add', '192.0.2.77/24', 'dev', 'eth0');
  const moved = { ...NEIGHBOUR, addresses: ['192.0.2.77'] };
  await keepAll('vxlan', [FIRST, moved, FAR]);
  assert.equal(reaches(FIRST.pod, '10.77.1.2'), true, 'at its new address');
  await removeAll('vxlan');
});
