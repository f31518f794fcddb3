import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseOddFlags } from './odd-flags.ts';
import type { LookedAtFlags } from './odd-flags.ts';

const AS_THEY_ARE: LookedAtFlags = {
  runtime: 'containerd',
  listen: { host: '127.0.0.1', port: 0 },
  podCidr: ['10.244.0.0/24'],
  dns: 'on',
  loadBalancer: 'on',
  proxyMode: 'nftables',
  trace: 'on',
};

for (const [name, flags, expected] of [
  ['as they are by default', {}, undefined],
  ['pods of IPv6 alone', { podCidr: ['fd00:1::/64'] }, /--pod-cidr: .* IPv4 first/],
  ['Services where pods are', { serviceClusterIpRange: ['10.244.0.0/16'] }, /are addresses of pods too/],
  ['a pool and nobody who gives of it', { loadBalancer: 'off', loadBalancerPool: ['192.0.2.0/28'] }, /load-balancer/],
  ['a pool that is no range', { loadBalancerPool: ['ten'] }, /--load-balancer-pool: ten is no range/],
  ['names that nobody answers', { dns: 'off', dnsListen: { host: '127.0.0.1', port: 53 } }, /--dns=off/],
  ['a dashboard for others', { dashboard: { host: '0.0.0.0', port: 80 } }, /loopback address is needed/],
  ['a trace that is off and exported', { trace: 'off', traceOtlpEndpoint: 'http://127.0.0.1:1' }, /--trace=off/],
  ['half of a pair', { etcdServers: ['x'], etcdCertfile: 'y' }, /go together/],
  ['a controller that there is not', { controllers: ['nobody'] }, /--controllers/],
] satisfies [string, Partial<LookedAtFlags>, RegExp | undefined][]) {
  test(`flags that are refused before anything is begun: ${name}`, () => {
    const look = (): void => refuseOddFlags({ ...AS_THEY_ARE, ...flags });
    if (expected === undefined) look();
    else assert.throws(look, { code: 'usage', message: expected });
  });
}
