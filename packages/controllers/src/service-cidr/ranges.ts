import { inRanges, ipRange, isInRange } from '@binnacle/base';
import type { ServiceCIDR } from '@binnacle/api/networking/v1';

/** Whether the object has the address in one of its ranges. */
export function holdsAddress({ spec }: ServiceCIDR, address: string): boolean {
  return inRanges(spec.cidrs ?? [])(address);
}

/** Whether one of the object's ranges is the given one, or around it. */
export function holdsRange({ spec }: ServiceCIDR, cidr: string): boolean {
  const [address = ''] = cidr.split('/');
  const inner = ipRange(cidr);
  return (spec.cidrs ?? []).some((outer) => {
    const range = ipRange(outer);
    if (range === undefined || inner === undefined) return false;
    return range.bits <= inner.bits && isInRange(range, address);
  });
}

/** Whether the two have addresses in common. */
export function overlap(a: ServiceCIDR, b: ServiceCIDR): boolean {
  return (
    (a.spec.cidrs ?? []).some((cidr) => holdsRange(b, cidr)) || (b.spec.cidrs ?? []).some((cidr) => holdsRange(a, cidr))
  );
}

/**
 * Whether a range may go: others hold all of it, or no address that is given out would be left in no range at all. Those of other
 * ranges that go as well still hold.
 */
export function mayGo(going: ServiceCIDR, all: readonly ServiceCIDR[], addresses: Iterable<string>): boolean {
  const others = all.filter(({ metadata }) => metadata.name !== going.metadata.name);
  const held = (going.spec.cidrs ?? []).every((cidr) => others.some((one) => holdsRange(one, cidr)));
  if (held) return true;
  for (const address of addresses) {
    if (holdsAddress(going, address) && !others.some((one) => holdsAddress(one, address))) return false;
  }
  return true;
}
