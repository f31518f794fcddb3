/** Services by nftables on a real kernel. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { ask, askByDatagram, CLIENT_NS, inside, NODE_ADDRESS, NODE_NS, pod } from '../testing/namespaces.ts';
import { backend, PLAIN, run, service, testServiceNetwork, withRulesOf } from '../testing/service-network-suite.ts';
import type { ServiceRules } from '../rules.ts';
import type { TriedDriver } from '../testing/service-network-suite.ts';
import { NftSession } from './nft-session.ts';
import { NftablesNetwork } from './nftables-network.ts';

const TABLE = 'binnacle-test';
const session = new NftSession({ clock: realClock, log: silentLogger, prefix: ['ip', 'netns', 'exec', NODE_NS] });
after(() => session.close());
const driver: TriedDriver = {
  make: (run) => new NftablesNetwork({ table: TABLE, families: ['IPv4', 'IPv6'], run, log: silentLogger, session }),
  leftovers: () => inside(NODE_NS, 'nft', 'list', 'tables').match(/.*binnacle.*/)?.[0] ?? '',
  flush: () => inside(NODE_NS, 'nft', 'flush', 'ruleset'),
};

testServiceNetwork(driver);

const withRules = withRulesOf(driver);

test('more endpoints than any Service had: what they need comes with the change, and is there for the next', async () => {
  const many = (at: number, first: number, count: number) => {
    const cluster = Array.from({ length: count }, (_, port) => ({ ...backend(2), port: first + port }));
    return service(`ns/many${at}`, { clusterIP: `10.96.9.${at}`, backends: { cluster, local: [] } });
  };
  const told = (number: number): number =>
    inside(NODE_NS, 'nft', 'list', 'map', 'ip', TABLE, `tcp-endpoints-${number}`).match(/10\.96\.9\.\d+ \. 80/g)
      ?.length ?? 0;
  await withRules([service('ns/web')], async (network) => {
    const change = (...all: readonly ServiceRules[]) => network.change(new Map(all.map((one) => [one.id, one])));
    await change(...Array.from({ length: 50 }, (_, at) => many(at, 9000, 100)));
    assert.deepEqual([0, 99].map(told), [50, 50]);
    await change(many(0, 8080, 1), many(1, 9000, 101), many(50, 8080, 1));
    assert.deepEqual([0, 1, 99, 100].map(told), [51, 49, 49, 1]);
    for (const address of ['10.96.0.7', '10.96.9.0', '10.96.9.50'])
      assert.match(await ask(pod(3), address, 80), /^p\d/);
    await network.change(new Map([['ns/web', undefined]]));
    assert.doesNotMatch(inside(NODE_NS, 'nft', 'list', 'map', 'ip', TABLE, 'service-ips'), /10\.96\.0\.7/);
  });
});

test('a client of UDP that goes on sending from one port is sent on, also where its backend went while nobody kept rules', async () => {
  const to = (number: number) =>
    service('ns/udp', { protocol: 'udp', backends: { cluster: [backend(number)], local: [] } });
  const heard = (): Promise<string> => askByDatagram(pod(2), '10.96.0.7', '80:40000');
  await withRules([to(3)], async (network) => {
    assert.match(await heard(), /^p3/);
    await network.change(new Map([['ns/udp', to(4)]]));
    assert.match(await heard(), /^p4/);
    const next = driver.make(run);
    await next.replace(PLAIN, new Map([['ns/udp', to(3)]]));
    assert.match(await heard(), /^p3/);
  });
});

test('a client of UDP that asked before there was a Service, and goes on from one port, is served as soon as there is', async () => {
  const external = {
    addresses: [],
    nodePort: 30053,
    fate: 'cluster',
    keepsSource: false,
    insideFate: 'cluster',
  } as const;
  const udp = service('ns/udp', { protocol: 'udp', external, backends: { cluster: [backend(3)], local: [] } });
  const heard = (): Promise<string> => askByDatagram(CLIENT_NS, NODE_ADDRESS, '30053:40001');
  await withRules([], async (network) => {
    assert.equal(await heard(), 'silence');
    assert.match(inside(NODE_NS, 'conntrack', '-L', '-p', 'udp', '--orig-port-dst', '30053'), /sport=40001/);
    await network.change(new Map([[udp.id, udp]]));
    assert.match(await heard(), /^p3/);
  });
});

test('a port mapping that came later, as CNI makes them, takes no port of a Service, nor after all is made anew', async () => {
  const external = {
    addresses: [NODE_ADDRESS],
    nodePort: 0,
    fate: 'cluster',
    keepsSource: false,
    insideFate: 'cluster',
  } as const;
  const web = service('ns/web', { external, backends: { cluster: [backend(3)], local: [] } });
  await withRules([web], async (network) => {
    for (const [chain, hook] of [
      ['p', 'prerouting'],
      ['o', 'output'],
    ] as const) {
      inside(NODE_NS, 'nft', 'add', 'table', 'ip', 'mappings');
      inside(NODE_NS, 'nft', `add chain ip mappings ${chain} { type nat hook ${hook} priority -100 ; }`);
      inside(
        NODE_NS,
        'nft',
        `add rule ip mappings ${chain} ip daddr ${NODE_ADDRESS} tcp dport 80 dnat to 10.244.0.4:8080`,
      );
    }
    try {
      for (let round = 0; round < 2; round++) {
        assert.match(await ask(CLIENT_NS, NODE_ADDRESS, 80), /^p3/);
        assert.match(await ask(NODE_NS, NODE_ADDRESS, 80), /^p3/);
        await network.replace(PLAIN, new Map([[web.id, web]]));
      }
    } finally {
      inside(NODE_NS, 'nft', 'delete', 'table', 'ip', 'mappings');
    }
  });
});

test('a table whose rules were flushed, and which is there still, is noticed', async () => {
  await withRules([service('ns/web')], async (network) => {
    for (const family of ['ip', 'ip6']) {
      inside(NODE_NS, 'nft', 'flush', 'table', family, TABLE);
      assert.equal(await network.isThere(), false, family);
      await network.replace(PLAIN, new Map([['ns/web', service('ns/web')]]));
      assert.equal(await network.isThere(), true);
    }
  });
});
