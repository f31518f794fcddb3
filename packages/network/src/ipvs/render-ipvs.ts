import { hostPort, inRanges, ofFamily } from '@binnacle/base';
import type { ChainNames } from '../iptables/chain-names.ts';
import { renderShared, wonDoors } from '../iptables/render-node.ts';
import type { SharedContext, WonDoor } from '../iptables/render-node.ts';
import { renderService } from '../iptables/render-service.ts';
import type { Chains } from '../iptables/render-service.ts';
import type { Fate, Protocol, ServiceRules } from '../rules.ts';
import type { IpvsState, SetName, VirtualServer } from './ipvs-state.ts';

/** What a family's Services are made with. */
export interface IpvsContext extends SharedContext {
  /** The machine's own addresses of the family, that answer on node ports. */
  readonly nodeAddresses: readonly string[];
}

/**
 * A family's Services by IPVS. It spreads; iptables says who is let in, who is masqueraded, and serves those from inside of a
 * Service that keeps sources, who may go to endpoints that a virtual server of that address does not have.
 */
export function renderIpvs(context: IpvsContext, services: readonly ServiceRules[]): IpvsState {
  const byId = new Map(services.map((rules) => [rules.id, rules]));
  const rendered = services.map((rules) => renderService(rules, context));
  const sorted = rendered.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const virtuals = new Map<string, VirtualServer>();
  const sets: Record<SetName, Set<string>> = {
    DOORS: new Set(),
    CLUSTER: new Set(),
    MASQUERADED: new Set(),
    ADDRESSES: new Set(services.map(({ clusterIP }) => clusterIP)),
  };
  const inside: WonDoor[] = [];
  for (const door of wonDoors(sorted)) {
    const rules = byId.get(door.id);
    if (rules === undefined) continue;
    const isCluster = door.rank === 0;
    const keepsSource = !isCluster && rules.external?.keepsSource === true;
    if (keepsSource && door.forward !== undefined) inside.push(door);
    const fate: Fate = isCluster ? rules.internalFate : (rules.external?.fate ?? 'drop');
    const backends = fate === 'reject' || fate === 'drop' ? [] : (rules.backends[fate] ?? []);
    for (const [address, port] of placesOf(door, context.nodeAddresses)) {
      if (backends.length === 0) continue;
      const member = `${address},${rules.protocol}:${port}`;
      const key = virtualKey(rules.protocol, address, port);
      if (virtuals.has(key)) continue;
      virtuals.set(key, {
        persistence: rules.affinitySeconds,
        servers: backends.map((one) => hostPort(one.address, one.port)),
      });
      sets.DOORS.add(member);
      if (isCluster) sets.CLUSTER.add(member);
      else if (!keepsSource) sets.MASQUERADED.add(member);
    }
  }
  const shared = renderShared(context, rendered);
  // Chains that send on are needed where IPVS does not serve everybody.
  const byChains = rendered.filter(({ id }) => byId.get(id)?.external?.keepsSource === true);
  return {
    virtuals,
    sets,
    locals: localsOf(context, services),
    chains: {
      nat: natChains(context, { shared: shared.nat, own: byChains.map(({ nat }) => nat), inside }),
      filter: filterChains(context, { shared: shared.filter, own: rendered.map(({ filter }) => filter) }),
      security: securityChains(context, shared.security),
    },
  };
}

const FLAGS: Readonly<Record<Protocol, string>> = { tcp: '-t', udp: '-u', sctp: '--sctp-service' };

/** A virtual server as ipvsadm has it: `-t [fd03::7]:80`. */
export function virtualKey(protocol: Protocol, address: string, port: number | string): string {
  return `${FLAGS[protocol]} ${hostPort(address, port)}`;
}

/** Where a door is: an address and port of its own, or a port of each of the node's addresses. */
function placesOf({ key, isNodePort }: WonDoor, nodeAddresses: readonly string[]): (readonly [string, string])[] {
  const words = key.split(' ');
  const port = words.at(-1) ?? '';
  return isNodePort ? nodeAddresses.map((address) => [address, port]) : [[words[0] ?? '', port]];
}

/** The name of a set on the machine. */
export function setName(names: ChainNames, set: SetName, { family }: Pick<SharedContext, 'family'>): string {
  return names.shared(`${set}${family === 'IPv4' ? 4 : 6}`);
}

function localsOf({ family, node, nodeAddresses }: IpvsContext, services: readonly ServiceRules[]): Set<string> {
  const ranges = ofFamily(node.serviceRanges, family);
  const isInside = inRanges(ranges);
  const bits = family === 'IPv4' ? 32 : 128;
  const locals = new Set(ranges);
  for (const { clusterIP, external } of services)
    for (const address of [clusterIP, ...(external?.addresses ?? [])])
      if (!nodeAddresses.includes(address) && !isInside(address)) locals.add(`${address}/${bits}`);
  return locals;
}

function natChains(
  context: IpvsContext,
  of: { readonly shared: Chains; readonly own: readonly Chains[]; readonly inside: readonly WonDoor[] },
): Chains {
  const { names } = context;
  const chains = new Map(of.shared);
  const isIn = (set: SetName): string => `-m set --match-set ${setName(names, set, context)} dst,dst`;
  const mark = `-j ${names.shared('MARK-MASQ')}`;
  const addressed = of.inside.filter(({ isNodePort }) => !isNodePort);
  chains.set(names.shared('SERVICES'), [
    ...addressed.map(({ match, forward }) => `${match} -j ${forward}`),
    // A node port is the node's: what asks a ClusterIP at the same number is not meant.
    ...context.nodeAddresses.map((address) => `-d ${address} -j ${names.shared('NODEPORTS')}`),
    `${isIn('CLUSTER')} -j ${names.shared('OUTSIDE')}`,
    // The machine speaks to its own address from that address: nobody could answer.
    `-m addrtype --src-type LOCAL ${isIn('CLUSTER')} ${mark}`,
    `${isIn('MASQUERADED')} ${mark}`,
  ]);
  chains.set(
    names.shared('NODEPORTS'),
    of.inside.flatMap(({ isNodePort, match, forward }) => (isNodePort ? [`${match} -j ${forward}`] : [])),
  );
  const loops = (chains.get(names.shared('POSTROUTING')) ?? []).map((rule) =>
    // IPVS rewrites what iptables does not see as rewritten.
    rule.replace(' -m conntrack --ctstate DNAT', ''),
  );
  chains.set(names.shared('POSTROUTING'), loops);
  for (const own of of.own)
    for (const [chain, rules] of own) {
      // Who comes from outside is left to IPVS: the last jump of a Service that keeps sources.
      const isExternal = chain.startsWith(names.shared('EXT-'));
      chains.set(chain, isExternal ? rules.filter((rule) => !rule.startsWith('-j ')) : rules);
    }
  return chains;
}

function filterChains(context: IpvsContext, of: { readonly shared: Chains; readonly own: readonly Chains[] }): Chains {
  const { family, names, node } = context;
  const chains = new Map(of.shared);
  const shared = (name: string): string => names.shared(name);
  const doors = doorsOf(context);
  const ranges = ofFamily(node.serviceRanges, family);
  const insiders = node.insiders && ofFamily(node.insiders, family);
  const rest = [`-j ${shared('ADDRESSES')}`];
  // Services' addresses are the machine's own here: what nobody serves must not meet what the machine itself serves. No other
  // cluster would refuse it: there is one list of virtual servers, so that each has a range of its own.
  const drops = ranges.map((range) => `-d ${range} -j DROP`);
  const guarded = [`${doors} -g ${shared('GUARD')}`, ...rest, ...drops];
  chains.set(shared('INPUT'), [...(chains.get(shared('INPUT')) ?? []), ...guarded]);
  for (const chain of ['FORWARD', 'OUTPUT'])
    chains.set(shared(chain), [`-j ${shared('UNSERVED')}`, `${doors} -j RETURN`, ...rest]);
  chains.set(
    shared('GUARD'),
    insiders === undefined
      ? []
      : [
          ...insiders.map((range) => `-s ${range} -j RETURN`),
          '-m addrtype --src-type LOCAL -j RETURN',
          `-j ${shared('REFUSE')}`,
        ],
  );
  const addresses = `-m set --match-set ${setName(names, 'ADDRESSES', context)} dst -j ${shared('REFUSE')}`;
  chains.set(shared('ADDRESSES'), [addresses]);
  for (const own of of.own) for (const [chain, rules] of own) chains.set(chain, rules);
  return chains;
}

/** What IPVS serves goes on to it. */
function securityChains(context: IpvsContext, shared: Chains): Chains {
  return new Map([...shared].map(([chain, rules]) => [chain, [`${doorsOf(context)} -j RETURN`, ...rules]]));
}

function doorsOf(context: IpvsContext): string {
  return `-m set --match-set ${setName(context.names, 'DOORS', context)} dst,dst`;
}
