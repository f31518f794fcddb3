import { ofFamily } from '@binnacle/base';
import type { Backend, Fate, NodeRules, Protocol, ServiceRules } from '../rules.ts';
import { disjointRanges } from './disjoint.ts';
import { NAMES, serviceName, spreadChain } from './names.ts';
import { maskMark } from '../mask-mark.ts';

/** What happens at one address and port, or at one node port. */
export interface Destination {
  /** A ClusterIP is nobody else's. */
  readonly rank: 0 | 1;
  readonly forward?: string;
  readonly filter?: string;
  readonly firewall?: string;
  /** Whom the chains that all share spread it over. */
  readonly endpoints?: NumberedEndpoints;
}

/** Elements `key : place` of the maps of a protocol's endpoints, each of the map of its number. */
export interface NumberedEndpoints {
  readonly protocol: Protocol;
  /** `address . port`, where it is asked for. */
  readonly key: string;
  /** `address . port` of who answers, by number. */
  readonly places: readonly string[];
}

/** One Service's port in the words of nftables. */
export interface RenderedService {
  /** Chains with their rules. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** Sets of clients that keep their backend, with how long, in seconds. */
  readonly affinitySets: ReadonlyMap<string, number>;
  /** By `address . protocol . port`. */
  readonly destinations: ReadonlyMap<string, Destination>;
  /** By `protocol . port`. */
  readonly nodePorts: ReadonlyMap<string, Destination>;
  readonly clusterIP: string;
  /** Pairs of a backend of this node with itself. */
  readonly hairpins: readonly string[];
}

/** More endpoints than this are spread by a chain of their own. */
export const SHARED_SPREAD_MAX = 128;

/** The rule that asks for masquerading. */
export function askForMask(node: NodeRules): string {
  return `meta mark set meta mark or ${maskMark(node)}`;
}

/** One Service's port as chains and elements. */
export function renderService(rules: ServiceRules, node: NodeRules): RenderedService {
  const { id, family, protocol, port, backends, external, firewall } = rules;
  const ip = family === 'IPv4' ? 'ip' : 'ip6';
  const chains = new Map<string, readonly string[]>();
  const affinitySets = new Map<string, number>();
  const at = (address: string): string => `${address} . ${protocol} . ${port}`;
  const shared = sharedList(rules);
  for (const [kind, list] of [
    ['service', backends.cluster],
    ['local', backends.local],
    ['near', backends.near ?? []],
  ] as const) {
    if (list.length === 0 || list === shared) continue;
    if (rules.affinitySeconds === 0) chains.set(serviceName(kind, id), [spread(rules, list, ip)]);
    else chains.set(serviceName(kind, id), stick(rules, list, { ip, chains, affinitySets }));
  }
  const destinations = new Map<string, Destination>();
  const nodePorts = new Map<string, Destination>();
  if (external !== undefined) {
    const served = external.insideFate !== 'reject';
    const chain = serviceName('external', id);
    if (served) chains.set(chain, externalChain(rules, node, ip));
    const filter = verdictOf(external.fate, id);
    const outer: Destination = {
      rank: 1,
      ...(served ? { forward: `goto ${chain}` } : {}),
      ...(filter.filter === undefined ? {} : filter),
    };
    for (const address of external.addresses) destinations.set(at(address), outer);
    if (external.nodePort !== 0) nodePorts.set(`${protocol} . ${external.nodePort}`, outer);
    if (firewall !== undefined) {
      const wall = serviceName('firewall', id);
      const sources = disjointRanges(firewall.sources);
      chains.set(wall, [sources.length === 0 ? 'drop' : `${ip} saddr != { ${sources.join(', ')} } drop`]);
      for (const address of firewall.addresses) destinations.set(at(address), { ...outer, firewall: `goto ${wall}` });
    }
  }
  const inner = shared.length > 0 ? spreadByAll(rules, shared) : verdictOf(rules.internalFate, id);
  destinations.set(at(rules.clusterIP), { rank: 0, ...inner });
  return { chains, affinitySets, destinations, nodePorts, clusterIP: rules.clusterIP, hairpins: hairpinsOf(rules) };
}

function spreadByAll(
  { protocol, clusterIP, port }: ServiceRules,
  shared: readonly Backend[],
): Pick<Destination, 'forward' | 'endpoints'> {
  const places = shared.map((one) => `${one.address} . ${one.port}`);
  return {
    forward: `goto ${spreadChain(protocol, places.length)}`,
    endpoints: { protocol, key: `${clusterIP} . ${port}`, places },
  };
}

function hairpinsOf({ backends }: ServiceRules): readonly string[] {
  const pairs = new Set<string>();
  for (const list of [backends.cluster, backends.local])
    for (const { address, local } of list) if (local) pairs.add(`${address} . ${address}`);
  return [...pairs];
}

/** The endpoints of a Service that needs no chain of its own: reached by its ClusterIP alone, nobody is kept anywhere. */
function sharedList({ affinitySeconds, backends, external, internalFate }: ServiceRules): readonly Backend[] {
  if (affinitySeconds > 0 || external !== undefined) return [];
  const list = internalFate === 'cluster' || internalFate === 'local' ? backends[internalFate] : [];
  return list.length > SHARED_SPREAD_MAX ? [] : list;
}

function verdictOf(fate: Fate, id: string): { readonly forward?: string; readonly filter?: string } {
  switch (fate) {
    case 'cluster':
      return { forward: `goto ${serviceName('service', id)}` };
    case 'local':
    case 'near':
      return { forward: `goto ${serviceName(fate, id)}` };
    case 'reject':
      return { filter: `goto ${NAMES.reject}` };
    case 'drop':
      return { filter: 'drop' };
  }
}

function externalChain({ id, external }: ServiceRules, node: NodeRules, ip: string): string[] {
  if (external === undefined) return [];
  const outside = verdictOf(external.fate, id).forward;
  const last = outside === undefined ? [] : [outside];
  const mask = askForMask(node);
  if (!external.keepsSource) return [mask, ...last];
  const inside = verdictOf(external.insideFate, id).forward;
  if (inside === undefined) return last;
  const pods = ofFamily(node.podRanges, ip === 'ip6' ? 'IPv6' : 'IPv4');
  return [
    ...(pods.length === 0 ? [] : [`${ip} saddr { ${pods.join(', ')} } ${inside}`]),
    `fib saddr type local ${mask}`,
    `fib saddr type local ${inside}`,
    ...last,
  ];
}

function spread({ protocol }: ServiceRules, list: readonly Backend[], ip: string): string {
  const places = list.map(({ address, port }, at) => `${at} : ${address} . ${port}`);
  return `meta l4proto ${protocol} dnat ${ip} addr . port to numgen random mod ${list.length} map { ${places.join(', ')} }`;
}

/** Whoever came lately goes where they went; others are spread, and remembered there. */
function stick(
  { id, protocol, affinitySeconds }: ServiceRules,
  list: readonly Backend[],
  made: {
    readonly ip: string;
    readonly chains: Map<string, readonly string[]>;
    readonly affinitySets: Map<string, number>;
  },
): string[] {
  const { ip, chains, affinitySets } = made;
  const ends = list.map(({ address, port }) => {
    const chain = serviceName('endpoint', `${id}/${address}/${port}`);
    // A set's timeout is its own for good: another timeout is another set.
    const set = serviceName('affinity', `${id}/${address}/${port}/${affinitySeconds}`);
    const to = ip === 'ip6' ? `[${address}]:${port}` : `${address}:${port}`;
    affinitySets.set(set, affinitySeconds);
    chains.set(chain, [`update @${set} { ${ip} saddr }`, `meta l4proto ${protocol} dnat to ${to}`]);
    return { chain, set };
  });
  const choices = ends.map(({ chain }, at) => `${at} : goto ${chain}`);
  return [
    ...ends.map(({ chain, set }) => `${ip} saddr @${set} goto ${chain}`),
    `numgen random mod ${ends.length} vmap { ${choices.join(', ')} }`,
  ];
}
