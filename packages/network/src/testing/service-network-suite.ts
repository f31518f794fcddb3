/** What every driver of Services must come to on a real kernel: a node, its pods and a client, with packets between them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NodeRules, ServiceNetwork, ServiceRules } from '../rules.ts';
import { toolRunner } from '../machine/run-tool.ts';
import type { RunTool } from '../machine/run-tool.ts';
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
} from './namespaces.ts';
import { serviceRules } from './service-rules.ts';

export const PLAIN: NodeRules = {
  podRanges: ['10.244.0.0/24', 'fd02::/64'],
  serviceRanges: ['10.96.0.0/16', 'fd03::/112'],
  masqueradeAll: false,
  masqueradeBit: 14,
};

const nameOf = (heard: string): string => heard.split(' ')[0] ?? '';
const sourceOf = (heard: string): string => heard.split(' ')[1] ?? '';

async function askMany(times: number, ...args: Parameters<typeof ask>): Promise<string[]> {
  const heard: string[] = [];
  for (let at = 0; at < times; at++) heard.push(await ask(...args));
  return heard;
}

const names = (heard: readonly string[]): string[] => [...new Set(heard.map(nameOf))].toSorted();

export const backend = (number: number): ServiceRules['backends']['cluster'][number] => ({
  address: `10.244.0.${number}`,
  port: 8080,
  local: true,
});

export function service(id: string, more: Partial<ServiceRules> = {}): ServiceRules {
  return serviceRules(id, { backends: { cluster: POD_NUMBERS.map(backend), local: [] }, ...more });
}

const EXTERNAL = { addresses: ['203.0.113.5'], nodePort: 30080, insideFate: 'cluster' } as const;
/** Runs tools on the node. */
export const run = toolRunner(['ip', 'netns', 'exec', NODE_NS]);

/** A driver as it is tried. */
export interface TriedDriver {
  readonly make: (run: RunTool) => ServiceNetwork;
  /** What of its rules is on the machine: nothing, after `remove`. */
  readonly leftovers: () => string;
  /** Somebody else takes all rules of the machine away. */
  readonly flush: () => void;
}

/** Tries one driver: the rules of each test are there while its body runs. */
export function withRulesOf({ make, leftovers }: TriedDriver) {
  return async (
    services: readonly ServiceRules[],
    body: (network: ServiceNetwork) => Promise<void>,
    node: Partial<NodeRules> = {},
  ): Promise<void> => {
    const network = make(run);
    await network.replace({ ...PLAIN, ...node }, new Map(services.map((one) => [one.id, one])));
    try {
      await body(network);
    } finally {
      await network.remove();
    }
    assert.equal(leftovers(), '', 'nothing is left');
  };
}

type WithRules = ReturnType<typeof withRulesOf>;

/** Registers the tests of a driver. */
export function testServiceNetwork(driver: TriedDriver): void {
  before(makeNamespaces);
  after(removeNamespaces);
  const withRules = withRulesOf(driver);
  for (const [name, body] of CASES) test(name, () => body(withRules, driver));
}

const CASES: readonly (readonly [name: string, run: (withRules: WithRules, driver: TriedDriver) => Promise<void>])[] = [
  [
    'pods, the machine and a backend itself through a ClusterIP',
    async (withRules) => {
      await withRules([service('ns/web')], async () => {
        const heard = await askMany(20, pod(2), '10.96.0.7', 80);
        assert.deepEqual(names(heard), ['p2', 'p3', 'p4'], 'all answer, the asking pod too');
        for (const one of heard) assert.equal(sourceOf(one), nameOf(one) === 'p2' ? '10.244.0.1' : '10.244.0.2', one);
        assert.match(await ask(NODE_NS, '10.96.0.7', 80), /^p\d /);
        assert.equal(sourceOf(await ask(CLIENT_NS, '10.96.0.7', 80)), '10.244.0.1', 'from elsewhere: masqueraded');
        assert.equal(await ask(pod(3), '10.96.0.7', 81), 'refused', 'another port of the address');
        assert.equal(await ask(pod(3), '10.96.0.8', 80), 'silence', 'nobody has the address');
      });
    },
  ],
  [
    'IPv6',
    async (withRules) => {
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
    },
  ],
  [
    'node ports, external addresses, and who keeps their source',
    async (withRules) => {
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
    },
  ],
  [
    'a machine that is the way to other nodes serves theirs too, the source kept',
    async (withRules) => {
      const near: Partial<ServiceRules> = {
        external: { ...EXTERNAL, fate: 'near', keepsSource: true },
        backends: { cluster: [2, 3, 4].map(backend), local: [], near: [2, 3].map(backend) },
      };
      await withRules([service('ns/near', near)], async () => {
        const heard = await askMany(16, CLIENT_NS, '203.0.113.5', 80);
        assert.deepEqual([...new Set(heard)].toSorted(), ['p2 192.0.2.9', 'p3 192.0.2.9']);
        assert.match(await ask(CLIENT_NS, NODE_ADDRESS, 30080), /^p[23] 192\.0\.2\.9$/);
        assert.match(await ask(NODE_NS, '203.0.113.5', 80), /^p\d /);
      });
    },
  ],
  [
    'no endpoints: refused at once, everywhere',
    async (withRules) => {
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
    },
  ],
  [
    'source ranges bear on the load balancer and not on node ports',
    async (withRules) => {
      const external = { ...EXTERNAL, fate: 'cluster', keepsSource: false } as const;
      const wall = (sources: readonly string[]): ServiceRules =>
        service('ns/lb', { external, firewall: { addresses: ['203.0.113.5'], sources } });
      await withRules([wall(['198.51.100.0/24'])], async (network) => {
        assert.equal(await ask(CLIENT_NS, '203.0.113.5', 80), 'silence');
        assert.match(await ask(CLIENT_NS, NODE_ADDRESS, 30080), /^p\d/);
        await network.change(new Map([['ns/lb', wall(['198.51.100.0/24', '192.0.2.0/24'])]]));
        assert.match(await ask(CLIENT_NS, '203.0.113.5', 80), /^p\d/);
      });
    },
  ],
  [
    'a client keeps its backend, switched on and off, also through rules made anew',
    async (withRules) => {
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
    },
  ],
  [
    'who is not let in meets the machine as if there were no Services',
    async (withRules) => {
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
    },
  ],
  [
    'two Services that name one address and port do not break the batch, and the next in line takes over',
    async (withRules) => {
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
    },
  ],
  [
    "somebody else's flush is noticed, and rules are made again beside foreign ones",
    async (withRules, { flush }) => {
      await withRules([service('ns/web')], async (network) => {
        inside(NODE_NS, 'nft', 'add', 'table', 'ip', 'foreign');
        assert.equal(await network.isThere(), true);
        flush();
        assert.equal(await network.isThere(), false);
        inside(NODE_NS, 'nft', 'add', 'table', 'ip', 'foreign');
        await network.replace(PLAIN, new Map([['ns/web', service('ns/web')]]));
        assert.match(await ask(pod(2), '10.96.0.7', 80), /^p\d/);
        assert.match(inside(NODE_NS, 'nft', 'list', 'tables'), /foreign/);
      });
      inside(NODE_NS, 'nft', 'delete', 'table', 'ip', 'foreign');
    },
  ],
  [
    'UDP goes to a backend too',
    async (withRules) => {
      const rules = service('ns/udp', { protocol: 'udp', backends: { cluster: [backend(3)], local: [] } });
      await withRules([rules], async () => {
        assert.equal(await askByDatagram(pod(2), '10.96.0.7', 80), 'p3 10.244.0.2');
      });
    },
  ],
  [
    'a client keeps its backend over UDP too, whatever port it asks from',
    async (withRules) => {
      const sticky = service('ns/udp', { protocol: 'udp', affinitySeconds: 60 });
      const heardBy = async (times: number): Promise<string[]> => {
        const heard: string[] = [];
        for (let at = 0; at < times; at++) heard.push(await askByDatagram(pod(2), '10.96.0.7', 80));
        return names(heard);
      };
      await withRules([sticky], async (network) => {
        const kept = await heardBy(6);
        assert.match(kept.join(' '), /^p\d$/);
        const left = POD_NUMBERS.filter((number) => `p${number}` !== kept[0]).map(backend);
        await network.change(new Map([['ns/udp', { ...sticky, backends: { cluster: left, local: [] } }]]));
        const moved = await heardBy(3);
        assert.equal(moved.length, 1);
        assert.notDeepEqual(moved, kept, 'its backend went');
        await network.change(new Map([['ns/udp', service('ns/udp', { protocol: 'udp' })]]));
        assert.ok((await heardBy(12)).length > 1, 'off again');
      });
    },
  ],
  [
    'rules for SCTP are taken, and go',
    async (withRules) => {
      const external = { ...EXTERNAL, fate: 'cluster', keepsSource: false } as const;
      const sctp = service('ns/sctp', { protocol: 'sctp', external });
      await withRules([sctp, service('ns/web', { clusterIP: '10.96.0.9' })], async (network) => {
        assert.equal(await network.isThere(), true);
        await network.change(new Map([['ns/sctp', { ...sctp, affinitySeconds: 60 }]]));
        assert.match(await ask(pod(2), '10.96.0.9', 80), /^p\d/);
        assert.equal(await ask(pod(2), '10.96.0.7', 80), 'refused', 'the same port by TCP');
      });
    },
  ],
  [
    'a batch that the kernel does not take changes nothing',
    async (withRules) => {
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
    },
  ],
];
