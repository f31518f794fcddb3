/** Two clusters on one machine, one or both by IPVS: they do not disturb each other (`npm run guest`). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { IptablesNetwork } from '../iptables/iptables-network.ts';
import { IpvsNetwork } from '../ipvs/ipvs-network.ts';
import { readNeighbourDoors } from '../machine/neighbour-doors.ts';
import { NftablesNetwork } from '../nftables/nftables-network.ts';
import type { NodeRules, ServiceNetwork, ServiceRules } from '../rules.ts';
import { ask, CLIENT_NS, inside, makeNamespaces, NODE_ADDRESS, NODE_NS, pod, removeNamespaces } from './namespaces.ts';
import { backend, PLAIN, run, service } from './service-network-suite.ts';

before(makeNamespaces);
after(removeNamespaces);

const options = { families: ['IPv4'], run, log: silentLogger } as const;
const MAKERS: Readonly<Record<string, (name: string) => ServiceNetwork>> = {
  ipvs: (prefix) => new IpvsNetwork({ prefix: prefix.toUpperCase(), ...options }),
  nftables: (table) => new NftablesNetwork({ table, ...options }),
  iptables: (prefix) => new IptablesNetwork({ prefix: prefix.toUpperCase(), ...options }),
};

const byId = (...services: readonly ServiceRules[]): Map<string, ServiceRules> =>
  new Map(services.map((one) => [one.id, one]));
const nodeOf = (range: string): NodeRules => ({ ...PLAIN, serviceRanges: [range] });
const serving = (clusterIP: string, nodePort: number, number: number): ServiceRules =>
  service('ns/web', {
    clusterIP,
    backends: { cluster: [backend(number)], local: [] },
    external: { addresses: [], nodePort, fate: 'cluster', keepsSource: false, insideFate: 'cluster' },
  });

for (const [first, second] of [
  ['ipvs', 'ipvs'],
  ['ipvs', 'nftables'],
  ['iptables', 'ipvs'],
] as const) {
  test(`a cluster by ${first} beside one by ${second}: each answers, whoever comes or goes`, async () => {
    const [one, two] = [MAKERS[first]?.('bnaaa'), MAKERS[second]?.('bnbbb')];
    assert.ok(one && two);
    const oneAnswers = async (when: string): Promise<void> => {
      assert.match(await ask(pod(4), '10.96.0.7', 80), /^p2 /, when);
      assert.match(await ask(NODE_NS, '10.96.0.7', 80), /^p2 /, when);
      assert.match(await ask(CLIENT_NS, NODE_ADDRESS, 30080), /^p2 /, when);
      assert.equal(await ask(pod(4), '10.96.0.9', 80), 'silence', when);
    };
    try {
      await one.replace(nodeOf('10.96.0.0/16'), byId(serving('10.96.0.7', 30080, 2)));
      await two.replace(nodeOf('10.97.0.0/16'), byId(serving('10.97.0.7', 30081, 3)));
      await oneAnswers('the second came');
      assert.match(await ask(pod(4), '10.97.0.7', 80), /^p3 /);
      assert.match(await ask(NODE_NS, '10.97.0.7', 80), /^p3 /);
      assert.match(await ask(CLIENT_NS, NODE_ADDRESS, 30081), /^p3 /);
      const doors = await readNeighbourDoors(run, 'BNBBB', [NODE_ADDRESS]);
      assert.deepEqual([...doors.keys()], ['IPv4/tcp/30080']);
      await one.replace(nodeOf('10.96.0.0/16'), byId(serving('10.96.0.7', 30080, 2)));
      assert.match(await ask(pod(4), '10.97.0.7', 80), /^p3 /, 'the first was made anew');
      await two.remove();
      await oneAnswers('the second went');
    } finally {
      await one.remove();
      await two.remove();
    }
    assert.doesNotMatch(inside(NODE_NS, 'ipvsadm', '--save', '-n'), /10\.9[67]|192\.0\.2/);
  });
}

test('two clusters by IPVS with one range: the second is refused in words, and the first answers on', async () => {
  const [one, two] = [MAKERS['ipvs']?.('bnaaa'), MAKERS['ipvs']?.('bnbbb')];
  assert.ok(one && two);
  const wanted = byId(serving('10.96.0.7', 30080, 2));
  try {
    await one.replace(PLAIN, wanted);
    const theirs = byId(serving('10.96.0.7', 30081, 3));
    await assert.rejects(two.replace(PLAIN, theirs), { message: /another cluster on this machine .*BNAAA-DOORS4/ });
    assert.match(await ask(pod(4), '10.96.0.7', 80), /^p2 /);
    await one.remove();
    await two.replace(PLAIN, theirs);
    assert.match(await ask(pod(4), '10.96.0.7', 80), /^p3 /);
  } finally {
    await one.remove();
    await two.remove();
  }
});
