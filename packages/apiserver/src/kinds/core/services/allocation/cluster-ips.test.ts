import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICE_CIDRS } from '@binnacle/api';
import { createSeededRandom } from '@binnacle/base';
import { MemoryCache } from '../../../../testing/memory-cache.ts';
import { MemoryLoopback } from '../../../../testing/memory-loopback.ts';
import { ClusterIps } from './cluster-ips.ts';

const OWNER = { namespace: 'a', name: 's' };

function create(range: string): { ips: ClusterIps; cache: MemoryCache } {
  const cache = new MemoryCache();
  return {
    cache,
    ips: new ClusterIps({ cache, loopback: new MemoryLoopback(cache), random: createSeededRandom(3) }, [range]),
  };
}

test('a range gives out every usable address once, then it is full', async () => {
  const { ips } = create('10.96.0.0/27');
  const given = new Set<string>();
  for (let i = 0; i < 30; i++) given.add((await ips.claimAny('IPv4', OWNER, false)).ip);
  assert.equal(given.size, 30);
  assert.ok(!given.has('10.96.0.0') && !given.has('10.96.0.31'));
  await assert.rejects(ips.claimAny('IPv4', OWNER, false), { code: 'full' });
  await ips.free('10.96.0.7');
  assert.equal((await ips.claimAny('IPv4', OWNER, false)).ip, '10.96.0.7');
});

test('the lower part goes last', async () => {
  const { ips } = create('10.96.0.0/26');
  const order: number[] = [];
  for (let i = 0; i < 62; i++) order.push(Number((await ips.claimAny('IPv4', OWNER, false)).ip.split('.')[3]));
  assert.ok(Math.min(...order.slice(0, 46)) > 16);
  assert.ok(Math.max(...order.slice(46)) <= 16);
});

test('ranges that are added later count, those that are going do not', async () => {
  const { ips, cache } = create('10.96.0.0/27');
  cache.put(SERVICE_CIDRS, { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/27'] } } as never);
  cache.put(SERVICE_CIDRS, { metadata: { name: 'more' }, spec: { cidrs: ['10.97.0.0/24'] } } as never);
  assert.equal((await ips.claim('10.97.0.5', OWNER, false)).ip, '10.97.0.5');
  cache.put(SERVICE_CIDRS, {
    metadata: { name: 'more', deletionTimestamp: 'x' },
    spec: { cidrs: ['10.97.0.0/24'] },
  } as never);
  await assert.rejects(ips.claim('10.97.0.6', OWNER, false), { code: 'mismatch' });
});

test('IPv6: claims have the canonical spelling', async () => {
  const { ips, cache } = create('fd00:1::/108');
  assert.deepEqual(ips.families, ['IPv6']);
  assert.equal((await ips.claim('FD00:1:0::0005', OWNER, false)).ip, 'fd00:1::5');
  assert.match((await ips.claimAny('IPv6', OWNER, false)).ip, /^fd00:1::/);
  const claim = cache.get({ group: 'networking.k8s.io', resource: 'ipaddresses' }, '', 'fd00:1::5');
  assert.deepEqual(claim?.metadata.labels, {
    'ipaddress.kubernetes.io/ip-family': 'IPv6',
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  });
});

test('what the owner had already is had again, and is nobody else’s', async () => {
  const { ips } = create('10.96.0.0/27');
  assert.deepEqual(await ips.claim('10.96.0.1', OWNER, false), { ip: '10.96.0.1', isNew: true });
  assert.deepEqual(await ips.claim('10.96.0.1', OWNER, false), { ip: '10.96.0.1', isNew: false });
  await assert.rejects(ips.claim('10.96.0.1', { ...OWNER, name: 'other' }, false), { code: 'allocated' });
});
