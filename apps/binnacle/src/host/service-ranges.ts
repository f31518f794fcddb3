import { doOverlap, formatRange, ipRange } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { dnsAddressIn, serviceRangesIn } from '@binnacle/cluster/service-ranges';
import { UsageError } from '../errors.ts';
import { hasIPv6 } from './address-families.ts';

/** What says who has which addresses. */
export interface ServiceRangeFlags {
  readonly podCidr: readonly string[];
  /** All nodes' pods, where there are several. */
  readonly clusterCidr?: readonly string[];
  /** Services' own; absent: upstream's, of the families that pods have. */
  readonly serviceClusterIpRange?: readonly string[];
}

/** Of kubeadm and kind. */
const FOUR = '10.96.0.0/16';
const SIX = 'fd00:10:96::/112';
/** In which the address of names has its place. */
const ROOM_BITS = 4;

/** Where Services have their addresses from, the first is theirs by default. Throws UsageError for what cannot be. */
export function serviceRangesOf(flags: ServiceRangeFlags): readonly string[] {
  const { podCidr, clusterCidr = [] } = flags;
  const ranges = flags.serviceClusterIpRange ?? (hasIPv6(podCidr) ? [FOUR, SIX] : [FOUR]);
  const odd = [ranges, podCidr].find(([first = '']) => first.includes(':'));
  if (odd !== undefined) {
    const flag = odd === podCidr ? '--pod-cidr' : '--service-cluster-ip-range';
    throw new UsageError(`${flag}: this cluster has addresses of IPv4 first, and those of IPv6 beside them`);
  }
  for (const text of ranges) {
    const range = ipRange(text);
    if (range === undefined || range.bytes.length * 8 - range.bits < ROOM_BITS)
      throw new UsageError(`--service-cluster-ip-range: ${text} has no room for Services`);
    const met = [...podCidr, ...clusterCidr].find((other) => {
      const taken = ipRange(other);
      return taken !== undefined && doOverlap(range, taken);
    });
    if (met !== undefined)
      throw new UsageError(`addresses of Services, ${formatRange(range)}, are addresses of pods too, ${met}`);
  }
  return ranges;
}

/** Where pods ask for names. Throws UsageError. */
export function dnsAddressOf(flags: ServiceRangeFlags): string {
  return dnsAddressIn(serviceRangesOf(flags)[0] ?? FOUR);
}

/** Services keep the addresses that they have: throws UsageError where a cluster was made with another first range. */
export async function refuseOtherRange(admin: Client, flags: ServiceRangeFlags): Promise<void> {
  const [[wanted], [there]] = [serviceRangesOf(flags), await serviceRangesIn(admin)];
  if (wanted === undefined || there === undefined || sameRange(wanted, there)) return;
  throw new UsageError(
    `Services of this cluster have addresses out of ${there} since it was made: give --service-cluster-ip-range ${there}`,
  );
}

function sameRange(one: string, other: string): boolean {
  const [a, b] = [ipRange(one), ipRange(other)];
  return a !== undefined && b !== undefined && formatRange(a) === formatRange(b);
}
