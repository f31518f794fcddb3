import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import type { Family } from '@binnacle/network';
import { countPlaces, portKey, protocolOf } from './endpoints.ts';

/** What a node makes rules for. */
export interface Room {
  /** The Service with those of its ports that find room. */
  readonly service: Service;
  /** Their keys. */
  readonly keys: ReadonlySet<string>;
  readonly leftOut: number;
}

const FAMILIES: readonly Family[] = ['IPv4', 'IPv6'];
/**
 * Endpoints and addresses of all ports of one Service together: each port is paired with each endpoint and each external address, so
 * that a Service and a slice of a megabyte, which whoever may make Services makes, name twenty million.
 */
const PAIRS_MAX = 100_000;
/** Who keeps clients where they went has a chain and a set for each endpoint, which cost the kernel so much more than an element. */
const STICKY_WEIGHT = 10;

/** Which ports of a Service find room on a node, in their order: the first does, however many answer for it. */
export function roomFor(service: Service, slices: Iterable<EndpointSlice>): Room {
  const { spec, status } = service;
  const counts = countPlaces(slices);
  const addresses =
    (spec?.externalIPs ?? []).length +
    (status?.loadBalancer?.ingress ?? []).length +
    (spec?.loadBalancerSourceRanges ?? []).length;
  const weight = spec?.sessionAffinity === 'ClientIP' ? STICKY_WEIGHT : 1;
  const given = spec?.ports ?? [];
  const keys = new Set<string>();
  const ports: (typeof given)[number][] = [];
  let pairs = 0;
  for (const port of given) {
    const protocol = protocolOf(port.protocol);
    const own = protocol === undefined ? [] : FAMILIES.map((family) => portKey(family, port.name ?? '', protocol));
    pairs += own.reduce((sum, key) => sum + weight * (counts.get(key) ?? 0), addresses);
    if (ports.length > 0 && pairs > PAIRS_MAX) break;
    ports.push(port);
    for (const key of own) keys.add(key);
  }
  const leftOut = given.length - ports.length;
  return {
    service: leftOut === 0 || spec === undefined ? service : { ...service, spec: { ...spec, ports } },
    keys,
    leftOut,
  };
}
