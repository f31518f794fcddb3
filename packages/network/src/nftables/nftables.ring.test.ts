/** Rules on a real kernel: namespaces for a node, its pods and a client outside, with packets between them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import type { NodeRules, ServiceRules } from '../rules.ts';
import { NftablesNetwork } from './nftables-network.ts';
import { toolRunner } from './run-tool.ts';
import {
  ask,
  askByDatagram,
  CLIENT_NS,
  inside,
  makeNamespaces,
  NODE_ADDRESS,
  NODE_NS,
  pod,
  POD_NUMBERS,
  removeNamespaces,
} from './testing/namespaces.ts';

const TABLE = 'binnacle-test';

const PLAIN: NodeRules = {
  podRanges: ['10.244.0.0/24', 'fd02::/64'],
  serviceRanges: ['10.96.0.0/16', 'fd03::/112'],
  masqueradeAll: false,
  masqueradeBit: 14,
};

before(makeNamespaces);
after(removeNamespaces);

const nameOf = (heard: string): string => heard.split(' ')[0] ?? '';
const sourceOf = (heard: string): string => heard.split(' ')[1] ?? '';

async function askMany(times: number, ...args: Parameters<typeof ask>): Promise<string[]> {
  const heard: string[] = [];
  for (let at = 0; at < times; at++) heard.push(await ask(...args));
  return heard;
}

const names = (heard: readonly string[]): string[] => [...new Set(heard.map(nameOf))].toSorted();

const backend = (number: number): ServiceRules['backends']['cluster'][number] => ({
  address: `10.244.0.${number}`,
  port: 8080,
  local: true,
});

function service(id: string, more: Partial<ServiceRules> = {}): ServiceRules {
  return {
    id,
    family: 'IPv4',
    protocol: 'tcp',
    port: 80,
    clusterIP: '10.96.0.7',
    internalFate: 'cluster',
    backends: { cluster: POD_NUMBERS.map(backend), local: [] },
    affinitySeconds: 0,
    ...more,
  };
}

const EXTERNAL = { addresses: ['203.0.113.5'], nodePort: 30080, insideFate: 'cluster' } as const;
const run = toolRunner(['ip', 'netns', 'exec', NODE_NS]);

async function withRules(
  services: readonly ServiceRules[],
  body: (network: NftablesNetwork) => Promise<void>,
  node: Partial<NodeRules> = {},
): Promise<void> {
  const network = new NftablesNetwork({ table: TABLE, families: ['IPv4', 'IPv6'], run, log: silentLogger });
  await network.replace({ ...PLAIN, ...node }, new Map(services.map((one) => [one.id, one])));
  try {
    await body(network);
  } finally {
    await network.remove();
  }
  assert.doesNotMatch(inside(NODE_NS, 'nft', 'list', 'tables'), /binnacle/, 'nothing is left');
}

test('pods, the machine and a backend itself through a ClusterIP', async () => {
  await withRules([service('ns/web')], async () => {
    const heard = await askMany(20, pod(2), '10.96.0.7', 80);
    assert.deepEqual(names(heard), ['p2', 'p3', 'p4'], 'all answer, the asking pod too');
    for (const one of heard) assert.equal(sourceOf(one), nameOf(one) === 'p2' ? '10.244.0.1' : '10.244.0.2', one);
    assert.match(await ask(NODE_NS, '10.96.0.7', 80), /^p\d /);
    assert.equal(sourceOf(await ask(CLIENT_NS, '10.96.0.7', 80)), '10.244.0.1', 'from elsewhere: masqueraded');
    assert.equal(await ask(pod(3), '10.96.0.7', 81), 'refused', 'another port of the address');
    assert.equal(await ask(pod(3), '10.96.0.8', 80), 'silence', 'nobody has the address');
  });
});

test('IPv6', async () => {
  const six: Partial<ServiceRules> = {
    family: 'IPv6',
    clusterIP: 'fd03::7',
    backends: { cluster: [{ address: 'fd02::13', port: 8080, local: true }], local: [] },
    external: { ...EXTERNAL, addresses: [], fate: 'cluster', keepsSource: false },
  };
  const { external: _, ...inner } = six;
  const shared: Partial<ServiceRules> = { ...inner, clusterIP: 'fd03::8' };
  await withRules([service('ns/six', six), service('ns/shared', shared)], async (network) => {
    assert.match(await ask(pod(2), 'fd03::8', 80), /^p3 fd02::12/, 'by the map that all share');
    assert.match(await ask(pod(2), 'fd03::7', 80), /^p3 fd02::12/);
    assert.match(await ask(pod(3), 'fd03::7', 80), /^p3 fd02::1$/, 'to itself');
    assert.match(await ask(CLIENT_NS, 'fd09::1', 30080), /^p3/);
    await network.change(new Map([['ns/six', service('ns/six', { ...six, affinitySeconds: 60 })]]));
    assert.match(await ask(pod(2), 'fd03::7', 80), /^p3/);
  });
});

test('node ports, external addresses, and who keeps their source', async () => {
  const open = service('ns/open', { external: { ...EXTERNAL, fate: 'cluster', keepsSource: false } });
  const local: Partial<ServiceRules> = {
    external: { ...EXTERNAL, fate: 'local', keepsSource: true },
    backends: { cluster: [3, 4].map(backend), local: [backend(3)] },
  };
  await withRules([open], async (network) => {
    assert.equal(sourceOf(await ask(CLIENT_NS, NODE_ADDRESS, 30080)), '10.244.0.1');
    assert.match(await ask(CLIENT_NS, '203.0.113.5', 80), /^p\d/);
    assert.match(await ask(pod(2), NODE_ADDRESS, 30080), /^p\d/, 'from a pod');
    assert.match(await ask(NODE_NS, NODE_ADDRESS, 30080), /^p\d/, 'from the machine');
    await network.change(new Map([['ns/open', service('ns/open', local)]]));
    const heard = await askMany(8, CLIENT_NS, NODE_ADDRESS, 30080);
    assert.deepEqual([...new Set(heard)], ['p3 192.0.2.9'], 'of this node alone, the source kept');
    assert.deepEqual(names(await askMany(16, pod(2), NODE_ADDRESS, 30080)), ['p3', 'p4'], 'pods of this node: any');
    const nobody = { ...local, external: { ...EXTERNAL, fate: 'drop', keepsSource: true } as const };
    await network.change(new Map([['ns/open', service('ns/open', nobody)]]));
    assert.equal(await ask(CLIENT_NS, NODE_ADDRESS, 30080), 'silence');
    assert.match(await ask(NODE_NS, NODE_ADDRESS, 30080), /^p\d/);
  });
});

test('no endpoints: refused at once, everywhere', async () => {
  const external = { ...EXTERNAL, fate: 'reject', insideFate: 'reject', keepsSource: false } as const;
  const none = service('ns/none', { internalFate: 'reject', external, backends: { cluster: [], local: [] } });
  await withRules([none], async (network) => {
    assert.equal(await ask(pod(2), '10.96.0.7', 80), 'refused');
    assert.equal(await ask(NODE_NS, '10.96.0.7', 80), 'refused');
    assert.equal(await ask(CLIENT_NS, NODE_ADDRESS, 30080), 'refused');
    assert.equal(await ask(CLIENT_NS, '203.0.113.5', 80), 'refused');
    await network.change(
      new Map([['ns/none', service('ns/none', { backends: { cluster: [backend(4)], local: [] } })]]),
    );
    assert.match(await ask(pod(2), '10.96.0.7', 80), /^p4/, 'an endpoint came');
  });
});

test('source ranges bear on the load balancer and not on node ports', async () => {
  const external = { ...EXTERNAL, fate: 'cluster', keepsSource: false } as const;
  const wall = (sources: readonly string[]): ServiceRules =>
    service('ns/lb', { external, firewall: { addresses: ['203.0.113.5'], sources } });
  await withRules([wall(['198.51.100.0/24'])], async (network) => {
    assert.equal(await ask(CLIENT_NS, '203.0.113.5', 80), 'silence');
    assert.match(await ask(CLIENT_NS, NODE_ADDRESS, 30080), /^p\d/);
    await network.change(new Map([['ns/lb', wall(['198.51.100.0/24', '192.0.2.0/24'])]]));
    assert.match(await ask(CLIENT_NS, '203.0.113.5', 80), /^p\d/);
  });
});

test('a client keeps its backend, switched on and off, also through rules made anew', async () => {
  await withRules([service('ns/web')], async (network) => {
    const sticky = service('ns/web', { affinitySeconds: 60 });
    await network.change(new Map([['ns/web', sticky]]));
    const kept = names(await askMany(12, pod(2), '10.96.0.7', 80));
    assert.equal(kept.length, 1);
    await network.replace(PLAIN, new Map([['ns/web', sticky]]));
    assert.deepEqual(names(await askMany(12, pod(2), '10.96.0.7', 80)), kept, 'rules made anew remember');
    const left = POD_NUMBERS.filter((number) => `p${number}` !== kept[0]).map(backend);
    await network.change(new Map([['ns/web', { ...sticky, backends: { cluster: left, local: [] } }]]));
    const moved = names(await askMany(6, pod(2), '10.96.0.7', 80));
    assert.equal(moved.length, 1);
    assert.notDeepEqual(moved, kept, 'its backend went');
    await network.change(new Map([['ns/web', service('ns/web')]]));
    assert.equal(names(await askMany(30, pod(2), '10.96.0.7', 80)).length, 3, 'off again');
  });
});

test('who is not let in meets the machine as if there were no Services', async () => {
  const open = service('ns/open', { external: { ...EXTERNAL, fate: 'cluster', keepsSource: false } });
  await withRules(
    [open],
    async () => {
      assert.equal(await ask(CLIENT_NS, NODE_ADDRESS, 30080), 'refused');
      assert.equal(await ask(CLIENT_NS, '10.96.0.7', 80), 'refused');
      assert.match(await ask(pod(2), NODE_ADDRESS, 30080), /^p\d/);
      assert.match(await ask(NODE_NS, NODE_ADDRESS, 30080), /^p\d/);
    },
    { insiders: ['10.244.0.0/24'] },
  );
});

test('two Services that name one address and port do not break the batch, and the next in line takes over', async () => {
  const external = { ...EXTERNAL, nodePort: 0, fate: 'cluster', keepsSource: false } as const;
  const one = service('ns/a', { external, backends: { cluster: [backend(2)], local: [] } });
  const thief = { ...external, addresses: ['203.0.113.5', '10.96.0.7'] };
  const two = service('ns/0', {
    clusterIP: '10.96.0.9',
    external: thief,
    backends: { cluster: [backend(4)], local: [] },
  });
  await withRules([one, two], async (network) => {
    assert.match(await ask(pod(3), '10.96.0.7', 80), /^p2/, 'a ClusterIP is nobody else’s');
    assert.match(await ask(CLIENT_NS, '203.0.113.5', 80), /^p4/, 'the first by name');
    await network.change(new Map([['ns/0', undefined]]));
    assert.match(await ask(CLIENT_NS, '203.0.113.5', 80), /^p2/);
    await network.change(
      new Map([
        ['ns/a', undefined],
        ['ns/0', two],
      ]),
    );
    assert.match(await ask(CLIENT_NS, '203.0.113.5', 80), /^p4/);
  });
});

test("somebody else's flush is noticed, and rules are made again beside foreign ones", async () => {
  await withRules([service('ns/web')], async (network) => {
    inside(NODE_NS, 'nft', 'add', 'table', 'ip', 'foreign');
    assert.equal(await network.isThere(), true);
    inside(NODE_NS, 'nft', 'flush', 'ruleset');
    assert.equal(await network.isThere(), false);
    inside(NODE_NS, 'nft', 'add', 'table', 'ip', 'foreign');
    await network.replace(PLAIN, new Map([['ns/web', service('ns/web')]]));
    assert.match(await ask(pod(2), '10.96.0.7', 80), /^p\d/);
    assert.match(inside(NODE_NS, 'nft', 'list', 'tables'), /foreign/);
  });
  inside(NODE_NS, 'nft', 'delete', 'table', 'ip', 'foreign');
});

test('UDP goes to a backend too', async () => {
  const rules = service('ns/udp', { protocol: 'udp', backends: { cluster: [backend(3)], local: [] } });
  await withRules([rules], async () => {
    assert.equal(await askByDatagram(pod(2), '10.96.0.7', 80), 'p3 10.244.0.2');
  });
});

test('more endpoints than there is room for: the table is made anew with more', async () => {
  await withRules([service('ns/web')], async (network) => {
    const endpoints = Array.from({ length: 100 }, (_, at) => ({ ...backend(2), port: 9000 + at }));
    const many = Array.from({ length: 50 }, (_, at) =>
      service(`ns/many${at}`, { clusterIP: `10.96.9.${at}`, backends: { cluster: endpoints, local: [] } }),
    );
    await network.change(new Map(many.map((one) => [one.id, one])));
    const elements = inside(NODE_NS, 'nft', 'list', 'map', 'ip', TABLE, 'tcp-endpoints').match(
      /10\.96\.9\.\d+ \. 80 \./g,
    );
    assert.equal(elements?.length, 5000);
    assert.match(await ask(pod(2), '10.96.0.7', 80), /^p\d/);
    await network.change(new Map([['ns/web', undefined]]));
    assert.doesNotMatch(inside(NODE_NS, 'nft', 'list', 'map', 'ip', TABLE, 'service-ips'), /10\.96\.0\.7/);
  });
});

test('a batch that the kernel does not take changes nothing', async () => {
  await withRules([service('ns/web')], async (network) => {
    const bad = service('ns/bad', { clusterIP: '10.96.0.300' });
    await assert.rejects(
      network.change(
        new Map([
          ['ns/web', undefined],
          ['ns/bad', bad],
        ]),
      ),
      { code: 'network' },
    );
    assert.match(await ask(pod(2), '10.96.0.7', 80), /^p\d/);
  });
});
