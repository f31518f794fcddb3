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
 * slices name counts once, and is ready if one of them says so, as upstream's proxy has it. `wants`: of which ports; of a
 * slice's others nothing is made. Absent: of all.
 */
export function uniteSlices(
  slices: Iterable<EndpointSlice>,
  here: Here,
  wants: (key: string) => boolean = () => true,
): EndpointsByPort {
  const byPort = new Map<string, Map<string, EndpointPlace>>();
  for (const slice of slices) {
    let members: readonly Member[] | undefined;
    for (const { key, port } of portsOf(slice)) {
      if (!wants(key)) continue;
      let places = byPort.get(key);
      if (places === undefined) byPort.set(key, (places = new Map()));
      members ??= membersOf(slice, here);
      for (const member of members) {
        const at = `${member.address} ${port}`;
        if (places.get(at)?.standing !== 'ready') places.set(at, { ...member, port });
      }
    }
  }
  return new Map([...byPort].map(([key, places]) => [key, [...places.values()]]));
}

/** How many places slices name for each port of a Service, without a look at any: none has fewer, and each at least one. */
export function countPlaces(slices: Iterable<EndpointSlice>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const slice of slices)
    for (const { key } of portsOf(slice)) counts.set(key, (counts.get(key) ?? 0) + (slice.endpoints?.length ?? 0));
  return counts;
}

const PORT_MAX = 65_535;

function* portsOf({ addressType: family, ports }: EndpointSlice): Generator<{
  readonly key: string;
  readonly port: number;
}> {
  if (family !== 'IPv4' && family !== 'IPv6') return;
  for (const { name = '', port, protocol: given } of ports ?? []) {
    const protocol = protocolOf(given);
    if (protocol === undefined || port === undefined || port < 1 || port > PORT_MAX) continue;
    yield { key: portKey(family, name, protocol), port };
  }
}

type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];

/** Whoever answers at each port of a slice. */
type Member = Omit<EndpointPlace, 'port'>;

/** A node, and those that reach the world through it. Absent: none do. */
interface Here {
  readonly nodeName: string;
  readonly guests?: readonly string[] | undefined;
}

function membersOf({ addressType: family, endpoints }: EndpointSlice, here: Here): readonly Member[] {
  return (endpoints ?? []).flatMap((endpoint) => {
    const member = memberOf(endpoint, here);
    // What no server takes would cost the Service all its other endpoints.
    return member === undefined || ipFamily(member.address) !== family ? [] : [member];
  });
}

/** Of an endpoint's addresses, which are one place, the first is used. */
function memberOf(endpoint: SliceEndpoint, here: Here): Member | undefined {
  const {
    addresses: [written = ''],
    nodeName,
    hints = {},
  } = endpoint;
  const address = canonicalAddress(written);
  if (address === undefined) return undefined;
  return {
    address,
    local: nodeName === here.nodeName,
    near: nodeName === here.nodeName || (nodeName !== undefined && here.guests?.includes(nodeName) === true),
    standing: endpointStanding(endpoint),
    nodeHints: (hints.forNodes ?? []).map(({ name }) => name),
    zoneHints: (hints.forZones ?? []).map(({ name }) => name),
  };
}
