import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsAddressOf, serviceRangesOf } from './service-ranges.ts';
import type { ServiceRangeFlags } from './service-ranges.ts';

const PODS = { podCidr: ['10.244.0.0/24'] };
const BOTH = { podCidr: ['10.244.0.0/24', 'fd00:10:244::/64'] };

for (const [name, flags, ranges, dns] of [
  ['one family', PODS, ['10.96.0.0/16'], '10.96.0.10'],
  ['both', BOTH, ['10.96.0.0/16', 'fd00:10:96::/112'], '10.96.0.10'],
  ['no nodes', { podCidr: [] }, ['10.96.0.0/16'], '10.96.0.10'],
  ['others', { ...PODS, serviceClusterIpRange: ['10.97.0.0/20'] }, ['10.97.0.0/20'], '10.97.0.10'],
] as const) {
  test(`Services of ${name}`, () => {
    assert.deepEqual(serviceRangesOf(flags), ranges);
    assert.equal(dnsAddressOf(flags), dns);
  });
}

const REFUSED: readonly (readonly [name: string, flags: ServiceRangeFlags, why: RegExp])[] = [
  ['pods of IPv6 alone', { podCidr: ['fd00::/64'] }, /--pod-cidr: .* IPv4 first/],
  ['pods of IPv6 first', { podCidr: BOTH.podCidr.toReversed() }, /--pod-cidr: .* IPv4 first/],
  [
    'Services of IPv6 first',
    { ...BOTH, serviceClusterIpRange: ['fd00::/112', '10.96.0.0/16'] },
    /--service-cluster-ip-range/,
  ],
  ['no room', { ...PODS, serviceClusterIpRange: ['10.96.0.0/29'] }, /no room/],
  ['pods among Services', { podCidr: ['10.96.7.0/24'] }, /addresses of pods too, 10\.96\.7\.0\/24/],
  ['Services among all pods', { ...PODS, clusterCidr: ['10.0.0.0/8'] }, /addresses of pods too, 10\.0\.0\.0\/8/],
];
for (const [name, flags, why] of REFUSED)
  test(`refused: ${name}`, () => assert.throws(() => serviceRangesOf(flags), why));
