import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainNames } from '../iptables/chain-names.ts';
import type { ServiceRules } from '../rules.ts';
import { HERE, serviceRules, THERE } from '../testing/service-rules.ts';
import { renderIpvs } from './render-ipvs.ts';
import type { IpvsContext } from './render-ipvs.ts';

const CONTEXT: IpvsContext = {
  family: 'IPv4',
  names: new ChainNames('T'),
  node: { podRanges: ['10.244.0.0/16'], serviceRanges: ['10.96.0.0/16'], masqueradeAll: false, masqueradeBit: 14 },
  nodeAddresses: ['192.0.2.1', '10.244.0.1'],
};
const service = (more: Partial<ServiceRules> = {}): ServiceRules =>
  serviceRules('ns/web', { clusterIP: '10.96.0.1', backends: { cluster: [HERE, THERE], local: [] }, ...more });

const EXTERNAL = { addresses: ['203.0.113.5'], nodePort: 30080, insideFate: 'cluster' } as const;
const list = (all: Iterable<string>): string[] => [...all].toSorted();

test('a door is a virtual server, a node port one at each of the node’s addresses', () => {
  const external = { ...EXTERNAL, fate: 'cluster', keepsSource: false } as const;
  const { virtuals, sets, locals } = renderIpvs(CONTEXT, [service({ external, affinitySeconds: 60 })]);
  assert.deepEqual(list(virtuals.keys()), [
    '-t 10.244.0.1:30080',
    '-t 10.96.0.1:80',
    '-t 192.0.2.1:30080',
    '-t 203.0.113.5:80',
  ]);
  assert.deepEqual(virtuals.get('-t 10.96.0.1:80'), {
    persistence: 60,
    servers: ['10.244.0.2:8080', '10.244.1.3:8080'],
  });
  assert.deepEqual(list(sets.CLUSTER), ['10.96.0.1,tcp:80']);
  assert.deepEqual(list(sets.MASQUERADED), ['10.244.0.1,tcp:30080', '192.0.2.1,tcp:30080', '203.0.113.5,tcp:80']);
  assert.deepEqual(list(locals), ['10.96.0.0/16', '203.0.113.5/32'], 'what the machine takes as its own');
});

test('a Service that keeps sources: IPVS has those of this node, chains serve who is inside', () => {
  const external = { ...EXTERNAL, fate: 'local', keepsSource: true } as const;
  const { virtuals, sets, chains } = renderIpvs(CONTEXT, [
    service({ external, backends: { cluster: [HERE, THERE], local: [HERE] } }),
  ]);
  assert.deepEqual(virtuals.get('-t 203.0.113.5:80')?.servers, ['10.244.0.2:8080']);
  assert.deepEqual(virtuals.get('-t 10.96.0.1:80')?.servers, ['10.244.0.2:8080', '10.244.1.3:8080']);
  assert.equal(sets.MASQUERADED.size, 0);
  const outside = [...chains.nat].find(([chain]) => chain.startsWith('T-EXT-'))?.[1] ?? [];
  assert.equal(outside.length, 3);
  for (const rule of outside) assert.match(rule, /^-(?:s 10\.244\.0\.0\/16|m addrtype --src-type LOCAL) -j /);
});

test('nobody there: no virtual server, and a word in the filter', () => {
  const { virtuals, sets, chains } = renderIpvs(CONTEXT, [
    service({ internalFate: 'reject', backends: { cluster: [], local: [] } }),
  ]);
  assert.equal(virtuals.size + sets.DOORS.size, 0);
  assert.match(chains.filter.get('T-UNSERVED')?.join('\n') ?? '', /-d 10\.96\.0\.1 .* -j T-REFUSE/);
  assert.deepEqual(list(sets.ADDRESSES), ['10.96.0.1']);
});

test('who is no insider is refused before IPVS sees it', () => {
  const { chains } = renderIpvs({ ...CONTEXT, node: { ...CONTEXT.node, insiders: ['10.244.0.0/16'] } }, [service()]);
  assert.deepEqual(chains.filter.get('T-GUARD'), [
    '-s 10.244.0.0/16 -j RETURN',
    '-m addrtype --src-type LOCAL -j RETURN',
    '-j T-REFUSE',
  ]);
});

test('an address that nobody has is dropped behind all refusals where the machine asks, and at once where it would answer itself', () => {
  const { filter, security } = renderIpvs(CONTEXT, [service()]).chains;
  const drop = '-d 10.96.0.0/16 -j DROP';
  for (const chain of ['FORWARD', 'OUTPUT']) {
    assert.equal(filter.get(`T-${chain}`)?.includes(drop), false);
    assert.deepEqual(security.get(`T-UNKNOWN-${chain}`), ['-m set --match-set T-DOORS4 dst,dst -j RETURN', drop]);
  }
  assert.deepEqual(filter.get('T-INPUT')?.slice(-2), ['-j T-ADDRESSES', drop]);
});
