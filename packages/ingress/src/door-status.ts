import type { Service } from '@binnacle/api/core/v1';
import type { IngressLoadBalancerIngress } from '@binnacle/api/networking/v1';
import type { DoorAnswer, DoorKind } from './ports.ts';

/** The doors that were tried. */
export type DoorStates = { readonly [kind in DoorKind]?: DoorAnswer };

/** What an Ingress of ours has in `status.loadBalancer.ingress`: nothing while no door is open. */
export function statusFor(addresses: readonly string[], doors: DoorStates): IngressLoadBalancerIngress[] {
  const open = Object.values(doors).flatMap((door) => (door !== undefined && 'port' in door ? [door.port] : []));
  if (open.length === 0) return [];
  const ports = open.map((port) => ({ port, protocol: 'TCP' as const }));
  return addresses.map((ip) => ({ ip, ports }));
}

/** The Service whose load balancer has the port on one of the addresses: packets for it go there. */
export function holderOf(services: Iterable<Service>, port: number, addresses: readonly string[]): string | undefined {
  for (const { metadata, spec, status } of services) {
    const has = (status?.loadBalancer?.ingress ?? []).some(({ ip = '' }) => addresses.includes(ip));
    const serves = spec?.ports?.some((one) => one.port === port && (one.protocol ?? 'TCP') === 'TCP') === true;
    if (has && serves) return `${metadata.namespace}/${metadata.name}`;
  }
  return undefined;
}
