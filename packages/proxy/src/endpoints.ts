import { endpointStanding } from '@binnacle/api';
import type { EndpointStanding } from '@binnacle/api';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { canonicalAddress, ipFamily } from '@binnacle/base';
import type { Family, Protocol } from '@binnacle/network';

/** One address and port that may answer, with what is known of it. */
export interface EndpointPlace {
  readonly address: string;
  readonly port: number;
  readonly local: boolean;
  /** On this node, or on one that reaches the world through it. */
  readonly near: boolean;
  readonly standing: EndpointStanding;
  readonly nodeHints: readonly string[];
  readonly zoneHints: readonly string[];
}

/** Endpoints of a Service by port: the key is made by `portKey`. */
export type EndpointsByPort = ReadonlyMap<string, readonly EndpointPlace[]>;

/** What a Service's port and a slice's port are joined by. */
export function portKey(family: Family, name: string, protocol: Protocol): string {
  return `${family}/${protocol}/${name}`;
}

/** A protocol as rules name it; undefined for one that Services do not carry. */
export function protocolOf(text: string | undefined): Protocol | undefined {
  const protocol = (text ?? 'TCP').toLowerCase();
  return protocol === 'tcp' || protocol === 'udp' || protocol === 'sctp' ? protocol : undefined;
}

/**
 * The endpoints of a Service: all of its slices together, each with ports and addresses of its own. An address that two
 * slices name counts once, and is ready if one of them says so, as upstream's proxy has it. `guests`: nodes that reach the
 * world through this one.
 */
export function uniteSlices(
  slices: Iterable<EndpointSlice>,
  nodeName: string,
  guests: readonly string[] = [],
): EndpointsByPort {
  const byPort = new Map<string, Map<string, EndpointPlace>>();
  for (const slice of slices) {
    const { addressType: family } = slice;
    if (family !== 'IPv4' && family !== 'IPv6') continue;
    for (const { name = '', port, protocol: given } of slice.ports ?? []) {
      const protocol = protocolOf(given);
      if (protocol === undefined || port === undefined || port < 1 || port > PORT_MAX) continue;
      const key = portKey(family, name, protocol);
      let places = byPort.get(key);
      if (places === undefined) byPort.set(key, (places = new Map()));
      for (const endpoint of slice.endpoints ?? []) {
        const place = placeOf(endpoint, port, { nodeName, guests });
        // What no server takes would cost the Service all its other endpoints.
        if (place === undefined || ipFamily(place.address) !== family) continue;
        const at = `${place.address} ${port}`;
        if (places.get(at)?.standing !== 'ready') places.set(at, place);
      }
    }
  }
  return new Map([...byPort].map(([key, places]) => [key, [...places.values()]]));
}

const PORT_MAX = 65_535;

type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];

/** Of an endpoint's addresses, which are one place, the first is used. */
function placeOf(
  endpoint: SliceEndpoint,
  port: number,
  here: { readonly nodeName: string; readonly guests: readonly string[] },
): EndpointPlace | undefined {
  const {
    addresses: [written = ''],
    nodeName,
    hints = {},
  } = endpoint;
  const address = canonicalAddress(written);
  if (address === undefined) return undefined;
  return {
    address,
    port,
    local: nodeName === here.nodeName,
    near: nodeName === here.nodeName || (nodeName !== undefined && here.guests.includes(nodeName)),
    standing: endpointStanding(endpoint),
    nodeHints: (hints.forNodes ?? []).map(({ name }) => name),
    zoneHints: (hints.forZones ?? []).map(({ name }) => name),
  };
}
