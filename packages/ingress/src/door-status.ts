import type { Service } from '@binnacle/api/core/v1';
import type { IngressLoadBalancerIngress } from '@binnacle/api/networking/v1';
import { canonicalAddress, ipFamily } from '@binnacle/base';
import type { DoorAnswer, DoorKind } from './ports.ts';

/** The doors that were tried. */
export type DoorStates = { readonly [kind in DoorKind]?: DoorAnswer };

/** Addresses of the node where a door's port is a Service's, by address: `namespace/name`. */
export type HeldAddresses = ReadonlyMap<string, string>;

const NOTHING: HeldAddresses = new Map();

/** What an Ingress of ours has in `status.loadBalancer.ingress`: addresses with the ports that lead to an open door there. */
export function statusFor(
  addresses: readonly string[],
  doors: DoorStates,
  held: { readonly [kind in DoorKind]?: HeldAddresses } = {},
): IngressLoadBalancerIngress[] {
  return addresses.flatMap((ip) => {
    const ports = (Object.keys(doors) as DoorKind[]).flatMap((kind) => {
      const door = doors[kind];
      const isOpen = door !== undefined && 'port' in door && !(held[kind] ?? NOTHING).has(ip);
      return isOpen ? [{ port: door.port, protocol: 'TCP' as const }] : [];
    });
    return ports.length === 0 ? [] : [{ ip, ports }];
  });
}

/** Where packets for a TCP port of these addresses go to a Service: balancers, external addresses and node ports come first. */
export function heldAddresses(services: Iterable<Service>, port: number, addresses: readonly string[]): HeldAddresses {
  const held = new Map<string, string>();
  for (const service of services) {
    const { metadata, spec } = service;
    if (spec === undefined || spec.type === 'ExternalName' || spec.clusterIP === 'None') continue;
    for (const address of addresses) {
      const family = ipFamily(address);
      if (held.has(address) || spec.ipFamilies?.includes(family) === false) continue;
      if (servesAt(service, port, canonicalAddress(address) ?? address))
        held.set(address, `${metadata.namespace}/${metadata.name}`);
    }
  }
  return held;
}

function servesAt({ spec, status }: Service, port: number, address: string): boolean {
  const tcp = (spec?.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  // Node ports answer at all addresses but loopback.
  if (!isLoopback(address) && tcp.some(({ nodePort }) => nodePort === port)) return true;
  if (!tcp.some((one) => one.port === port)) return false;
  if (spec?.externalIPs?.some((one) => canonicalAddress(one) === address) === true) return true;
  return (status?.loadBalancer?.ingress ?? []).some(({ ip = '', ipMode = 'VIP', ports = [] }) => {
    const isGiven = ports.length === 0 || ports.some((one) => one.port === port && (one.protocol ?? 'TCP') === 'TCP');
    return ipMode === 'VIP' && isGiven && canonicalAddress(ip) === address;
  });
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
