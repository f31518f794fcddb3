import { internalAddresses } from '@binnacle/api';
import type { Node, Service } from '@binnacle/api/core/v1';
import { addressAt, addressText, canonicalAddress, inRanges, ipFamily, ipRange, isInRange } from '@binnacle/base';
import type { IpRange } from '@binnacle/base';
import { cacheKey } from '@binnacle/client';

/** Where load balancers' addresses come from. */
export interface AddressSource {
  /** CIDRs: each Service has an address of its own there. Absent: all share the nodes' addresses, each with its ports. */
  readonly pool?: readonly string[];
  /** `tcp/6443`: what the nodes themselves listen on, or other clusters on them have; nobody is sent elsewhere from there. */
  readonly usedPorts: ReadonlySet<string>;
  /** Likewise what the cluster itself has on some node, and who (`heldPorts`). */
  readonly heldPorts?: ReadonlyMap<string, string>;
  /** Names of nodes that have somebody who is ready for a Service. Absent: nobody is. */
  readonly answering?: (service: Service) => ReadonlySet<string>;
  /** The node that those of these ranges reach the world through. It answers for them too. */
  readonly gateway?: Gateway;
}

/** A machine that has other nodes. */
export interface Gateway {
  readonly nodeName: string;
  /** CIDRs of the others' addresses. */
  readonly guestRanges: readonly string[];
}

/** What a Service gets: addresses, or why it gets none. */
export type Grant = { readonly addresses: readonly string[] } | { readonly conflict: string };

const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';
/** Addresses that are looked at in one range before it counts as full. */
const LOOKED_AT_MAX = 65_536;
const NONE: Grant = { addresses: [] };

/** Whether a Service asks for a load balancer, and for no other's. */
export function wantsBalancer({ metadata, spec }: Service): boolean {
  return (
    spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined && metadata.deletionTimestamp === undefined
  );
}

/** Whether its addresses are given to load balancers. */
export function servesBalancers({ metadata }: Node): boolean {
  return metadata.labels?.[EXCLUDED] === undefined && metadata.deletionTimestamp === undefined;
}

/** `tcp/80`: what a Service asks of the nodes' addresses. */
export function askedPorts({ spec }: Service): string[] {
  return (spec?.ports ?? []).map(portText);
}

/** `tcp/80`. */
export function portText({ port, protocol = 'TCP' }: { readonly port: number; readonly protocol?: string }): string {
  return `${protocol.toLowerCase()}/${port}`;
}

/** The ports that a Service was given, as its status says; of a status that does not say it, all that it asks for. */
export function grantedPorts(service: Service): string[] {
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  if (ingress.every(({ ports = [] }) => ports.length === 0)) return ingress.length === 0 ? [] : askedPorts(service);
  return ingress.flatMap(({ ports = [] }) => ports.map(portText));
}

/** The addresses that a Service has. */
export function grantedAddresses({ status }: Service): string[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip === undefined || ip === '' ? [] : [ip]));
}

/**
 * What every Service that asks for a load balancer gets, by its key. Who has an address keeps it where it may; then the
 * older one has the choice.
 */
export function planBalancers(
  services: readonly Service[],
  nodes: readonly Node[],
  source: AddressSource,
): ReadonlyMap<string, Grant> {
  const wanting = services.filter(wantsBalancer).toSorted(byClaim);
  const { pool } = source;
  return pool === undefined
    ? shareNodes(wanting, nodes, source)
    : drawFromPool(wanting, pool, othersOf(services, nodes));
}

function byClaim(a: Service, b: Service): number {
  const had = Number(grantedAddresses(b).length > 0) - Number(grantedAddresses(a).length > 0);
  if (had !== 0) return had;
  const [first, second] = [a, b].map((one) => `${one.metadata.creationTimestamp ?? ''} ${cacheKey(one)}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

interface Place {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** Everybody gets all the nodes' addresses; a port of them is one Service's. */
function shareNodes(wanting: readonly Service[], nodes: readonly Node[], source: AddressSource): Map<string, Grant> {
  const places = nodes
    .filter(servesBalancers)
    .map((node): Place => ({ name: node.metadata.name ?? '', addresses: internalAddresses(node) }));
  const holders = new Map<string, string>();
  const grants = new Map<string, Grant>();
  for (const service of wanting) {
    const key = cacheKey(service);
    const families: readonly string[] = service.spec?.ipFamilies ?? ['IPv4'];
    const addresses = placesFor(service, places, source).flatMap((place) => place.addresses);
    const asked = addresses.filter((address) => families.includes(ipFamily(address))).toSorted();
    const ports = askedPorts(service);
    const conflict = conflictOf(service, { addresses: asked, ports, holders, source });
    if (conflict === undefined) for (const port of ports) holders.set(port, key);
    grants.set(key, conflict === undefined ? { addresses: asked } : { conflict });
  }
  return grants;
}

/**
 * Whose sources are kept is reached by nodes that have somebody, as a load balancer that asks them for their health would
 * send to no others. Where nobody has anybody, such a balancer keeps its address.
 */
function placesFor(service: Service, places: readonly Place[], source: AddressSource): readonly Place[] {
  if (service.spec?.externalTrafficPolicy !== 'Local') return places;
  const { gateway, answering } = source;
  const ready = answering?.(service) ?? new Set<string>();
  const isOfGuests = inRanges(gateway?.guestRanges ?? []);
  const isGuest = ({ addresses }: Place): boolean => addresses.some(isOfGuests);
  const hasReadyGuest = places.some((place) => ready.has(place.name) && isGuest(place));
  const found = places.filter(({ name }) => ready.has(name) || (hasReadyGuest && name === gateway?.nodeName));
  return found.length > 0 ? found : places;
}

function conflictOf(
  service: Service,
  of: {
    readonly addresses: readonly string[];
    readonly ports: readonly string[];
    readonly holders: ReadonlyMap<string, string>;
    readonly source: AddressSource;
  },
): string | undefined {
  const { addresses, ports, holders, source } = of;
  const asked = service.spec?.loadBalancerIP ?? '';
  if (asked !== '' && !addresses.includes(asked)) return `the address ${asked} is none of the nodes'`;
  const given = new Set(grantedPorts(service));
  for (const port of ports) {
    const holder = holders.get(port);
    if (holder !== undefined) return `port ${port} of the nodes' addresses is given to Service ${holder}`;
    // Who was given a port keeps it, whoever came later.
    if (given.has(port)) continue;
    const user = source.heldPorts?.get(port);
    if (user !== undefined) return `port ${port} of the nodes' addresses is in use by ${user}`;
    if (source.usedPorts.has(port))
      return `port ${port} of the nodes' addresses is in use by a program or another cluster of the node`;
  }
  return undefined;
}

/** Addresses of a pool that are somebody's already, in their one spelling. */
interface Others {
  /** Nobody has them beside a node, or a balancer that is another's. */
  readonly fixed: ReadonlySet<string>;
  /** Services that name an address as external, with whoever does. Who has it as a balancer's keeps it all the same. */
  readonly external: ReadonlyMap<string, ReadonlySet<string>>;
}

function othersOf(services: readonly Service[], nodes: readonly Node[]): Others {
  const ofNodes = nodes.flatMap(({ status }) => (status?.addresses ?? []).map(({ address }) => address));
  const foreign = services.filter(({ spec }) => spec?.type === 'LoadBalancer' && spec.loadBalancerClass !== undefined);
  const fixed = [...ofNodes, ...foreign.flatMap(grantedAddresses)].map(canonical);
  const external = new Map<string, Set<string>>();
  for (const service of services) {
    for (const address of (service.spec?.externalIPs ?? []).map(canonical)) {
      let names = external.get(address);
      if (names === undefined) external.set(address, (names = new Set()));
      names.add(cacheKey(service));
    }
  }
  return { fixed: new Set(fixed), external };
}

/** Everybody gets an address of their own in each family that they have. */
function drawFromPool(wanting: readonly Service[], pool: readonly string[], others: Others): Map<string, Grant> {
  const ranges = pool.flatMap((text) => ipRange(text) ?? []);
  const taken = new Set<string>();
  const grants = new Map<string, Grant>();
  const cursors = new Map<IpRange, number>();
  for (const service of wanting) {
    const families = service.spec?.ipFamilies ?? ['IPv4'];
    const draws = families.map((family) => drawOne(service, family, { ranges, taken, cursors, others }));
    const missing = families.filter((_, at) => draws[at] === undefined);
    const addresses = draws.flatMap((address) => address ?? []);
    const asked = service.spec?.loadBalancerIP ?? '';
    // Who gets some of what they ask for has that.
    if (addresses.length === 0 && families.length > 0) {
      const why =
        asked === ''
          ? `the pool has no free ${missing.join(' or ')} address`
          : `the address ${asked} is not free in the pool`;
      grants.set(cacheKey(service), { conflict: why });
    } else grants.set(cacheKey(service), addresses.length === 0 ? NONE : { addresses });
    for (const address of addresses) taken.add(address);
  }
  return grants;
}

function drawOne(
  service: Service,
  family: string,
  of: {
    readonly ranges: readonly IpRange[];
    readonly taken: ReadonlySet<string>;
    readonly cursors: Map<IpRange, number>;
    readonly others: Others;
  },
): string | undefined {
  const { ranges, taken, cursors, others } = of;
  const mine = ranges.filter(({ bytes }) => (bytes.length === 4 ? 'IPv4' : 'IPv6') === family);
  const isNobodys = (address: string): boolean => !taken.has(address) && !others.fixed.has(address);
  const mayKeep = (address: string): boolean => isNobodys(address) && mine.some((range) => isInRange(range, address));
  // Otherwise whoever may write a Service would take another's address by naming it.
  const had = grantedAddresses(service).filter((address) => ipFamily(address) === family && mayKeep(address));
  const asked = canonical(service.spec?.loadBalancerIP ?? '');
  if (asked !== '' && ipFamily(asked) === family)
    return had.includes(asked) || (mayKeep(asked) && !isOthers(service, asked, others)) ? asked : undefined;
  if (had[0] !== undefined) return had[0];
  for (const range of mine) {
    // What lies before was given to those who came before, or is somebody else's.
    for (let at = cursors.get(range) ?? 0; at < sizeOf(range); at++) {
      const address = addressText(addressAt(range, BigInt(at)));
      if (!isNobodys(address) || others.external.has(address)) continue;
      cursors.set(range, at + 1);
      return address;
    }
    cursors.set(range, sizeOf(range));
  }
  return undefined;
}

function isOthers(service: Service, address: string, { external }: Others): boolean {
  const names = external.get(address);
  return names !== undefined && !(names.size === 1 && names.has(cacheKey(service)));
}

function canonical(text: string): string {
  return canonicalAddress(text) ?? text;
}

function sizeOf({ bytes, bits }: IpRange): number {
  return Math.min(2 ** (bytes.length * 8 - bits), LOOKED_AT_MAX);
}
