import { inRanges, ofFamily } from '@binnacle/base';
import type { Family, NodeRules } from '../rules.ts';
import type { ChainNames } from './chain-names.ts';
import type { Chains, Door, RenderedService } from './render-service.ts';
import { maskMark } from '../mask-mark.ts';

/**
 * The three tables that we have chains in. What nobody knows is dropped in `security`, which the kernel asks behind everybody's
 * `filter`: a cluster beside this one may have the same range, and refuse the address there.
 */
export type Table = 'nat' | 'filter' | 'security';
export const TABLES: readonly Table[] = ['nat', 'filter', 'security'];

/** A way from a chain of the kernel's own into one of ours: the rule as it stands after `-A CHAIN`. */
export type Entrance = readonly [chain: string, rule: string];

/** All of them. */
export function entrances(names: ChainNames): Readonly<Record<Table, readonly Entrance[]>> {
  const toNew = (chain: string, own: string): Entrance => [chain, `-m conntrack --ctstate NEW -j ${names.shared(own)}`];
  return {
    nat: [
      ['PREROUTING', `-j ${names.shared('PREROUTING')}`],
      ['OUTPUT', `-j ${names.shared('SERVICES')}`],
      ['POSTROUTING', `-j ${names.shared('POSTROUTING')}`],
    ],
    filter: ['INPUT', 'FORWARD', 'OUTPUT'].map((chain) => toNew(chain, chain)),
    security: ['FORWARD', 'OUTPUT'].map((chain) => toNew(chain, `UNKNOWN-${chain}`)),
  };
}

/** What the chains that all share are made of. */
export interface SharedContext {
  readonly family: Family;
  readonly node: NodeRules;
  readonly names: ChainNames;
}

/** The chains that all Services share; doors that several claim are the first's. */
export function renderShared(
  context: SharedContext,
  services: Iterable<RenderedService>,
): Readonly<Record<Table, Chains>> {
  const sorted = [...services].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const doors = wonDoors(sorted);
  return {
    nat: natChains(context, doors, sorted),
    filter: filterChains(context, doors, sorted),
    security: securityChains(context),
  };
}

/** A door with who has it. */
export interface WonDoor extends Door {
  readonly id: string;
}

/** A ClusterIP is nobody else's, then the first Service by name has a door. */
export function wonDoors(sorted: readonly RenderedService[]): readonly WonDoor[] {
  const won = new Map<string, WonDoor>();
  for (const rank of [0, 1])
    for (const { id, doors } of sorted)
      for (const door of doors) {
        const key = `${door.isNodePort} ${door.key}`;
        if (door.rank === rank && !won.has(key)) won.set(key, { ...door, id });
      }
  return [...won.values()];
}

function natChains(
  { family, node, names }: SharedContext,
  doors: readonly WonDoor[],
  services: readonly RenderedService[],
) {
  const mine = (ranges: readonly string[]): string[] => ofFamily(ranges, family);
  const shared = (name: string): string => names.shared(name);
  const bit = maskMark(node);
  const jumps = (isNodePort: boolean): string[] =>
    doors.flatMap((door) =>
      door.isNodePort !== isNodePort || door.forward === undefined
        ? []
        : [`${door.match} ${commentOf(door.id)} -j ${door.forward}`],
    );
  const insiders = node.insiders && mine(node.insiders);
  const pods = mine(node.podRanges);
  const mark = `-j ${shared('MARK-MASQ')}`;
  const outside = node.masqueradeAll
    ? [mark]
    : [...pods.map((range) => `-s ${range} -j RETURN`), ...(pods.length > 0 ? [mark] : [])];
  const [from, except] = [mine(node.masqueradeOut?.from ?? []), mine(node.masqueradeOut?.except ?? [])];
  return new Map<string, readonly string[]>([
    [
      shared('PREROUTING'),
      insiders === undefined
        ? [...passStrangers({ family, node, names }, 'SERVICES'), `-j ${shared('SERVICES')}`]
        : [...insiders.map((range) => `-s ${range}`), '-m addrtype --src-type LOCAL'].map(
            (who) => `${who} -g ${shared('SERVICES')}`,
          ),
    ],
    [shared('SERVICES'), [...jumps(false), ...nodePortJumps(node, family, shared('NODEPORTS'))]],
    [shared('NODEPORTS'), jumps(true)],
    [shared('OUTSIDE'), outside],
    [shared('MARK-MASQ'), [`-j MARK --or-mark ${bit}`]],
    [
      shared('POSTROUTING'),
      [
        `-m mark --mark ${bit}/${bit} -j ${shared('MASQUERADE')}`,
        ...hairpins(services).map((one) => `-s ${one} -d ${one} -m conntrack --ctstate DNAT ${MASQUERADE}`),
        ...from.map((range) => `-s ${range} -j ${shared('OUT')}`),
      ],
    ],
    [shared('MASQUERADE'), [`-j MARK --xor-mark ${bit}`, MASQUERADE]],
    [shared('OUT'), from.length === 0 ? [] : [...except.map((range) => `-d ${range} -j RETURN`), MASQUERADE]],
  ]);
}

function filterChains(
  { family, node, names }: SharedContext,
  doors: readonly WonDoor[],
  services: readonly RenderedService[],
) {
  const shared = (name: string): string => names.shared(name);
  const refuse = `-j ${shared('REFUSE')}`;
  const ends = (isNodePort: boolean): string[] =>
    doors.flatMap((door) =>
      door.isNodePort !== isNodePort || door.fate === undefined
        ? []
        : [`${door.match} ${commentOf(door.id)} ${door.fate === 'drop' ? '-j DROP' : refuse}`],
    );
  const walls = doors.flatMap(({ firewall, match }) => (firewall === undefined ? [] : [`${match} -j ${firewall}`]));
  const addresses = new Set(services.map(({ clusterIP }) => clusterIP));
  const ranges = ofFamily(node.serviceRanges, family);
  const through = [`-j ${shared('UNSERVED')}`, ...towardsAddresses(ranges, addresses, shared('ADDRESSES'))];
  return new Map<string, readonly string[]>([
    [shared('INPUT'), [...nodePortJumps(node, family, shared('NOPORTS')), `-j ${shared('UNSERVED')}`]],
    [shared('FORWARD'), [...passStrangers({ family, node, names }, 'OUTPUT'), ...through]],
    [shared('OUTPUT'), through],
    [shared('NOPORTS'), ends(true)],
    [shared('UNSERVED'), [...walls, ...ends(false)]],
    // An address of Services that has no such port.
    [shared('ADDRESSES'), [...addresses].map((address) => `-d ${address} ${refuse}`)],
    [
      shared('REFUSE'),
      [
        '-p tcp -j REJECT --reject-with tcp-reset',
        `-j REJECT --reject-with ${family === 'IPv6' ? 'icmp6' : 'icmp'}-port-unreachable`,
      ],
    ],
  ]);
}

/** An address of Services that nobody has is dropped: nothing of it leaves the machine. */
function securityChains(context: SharedContext): Chains {
  const { names, node, family } = context;
  const drops = ofFamily(node.serviceRanges, family).map((range) => `-d ${range} -j DROP`);
  return new Map<string, readonly string[]>([
    [names.shared('UNKNOWN-FORWARD'), [...passStrangers(context, 'UNKNOWN-OUTPUT'), ...drops]],
    [names.shared('UNKNOWN-OUTPUT'), drops],
  ]);
}

/** Pods of another cluster on this machine mean their own cluster's Services; our own ones go on in `next`. */
function passStrangers({ family, node, names }: SharedContext, next: string): string[] {
  const { links } = node;
  if (links === undefined) return [];
  const others = ofFamily(node.serviceRanges, family).map((range) => `-i ${links.all}+ -d ${range} -j RETURN`);
  return others.length === 0 ? [] : [`-i ${links.own}+ -g ${names.shared(next)}`, ...others];
}

/** What goes elsewhere does not pass by every ClusterIP. */
function towardsAddresses(ranges: readonly string[], addresses: ReadonlySet<string>, chain: string): string[] {
  const areAllInside = [...addresses].every(inRanges(ranges));
  return areAllInside ? ranges.map((range) => `-d ${range} -j ${chain}`) : [`-j ${chain}`];
}

const MASQUERADE = '-j MASQUERADE --random-fully';

function nodePortJumps({ nodePortAddresses }: NodeRules, family: Family, chain: string): string[] {
  if (nodePortAddresses !== undefined)
    return ofFamily(nodePortAddresses, family).map((address) => `-d ${address} -j ${chain}`);
  return [`! -d ${family === 'IPv6' ? '::1' : '127.0.0.0/8'} -m addrtype --dst-type LOCAL -j ${chain}`];
}

function hairpins(services: readonly RenderedService[]): string[] {
  return [...new Set(services.flatMap(({ localAddresses }) => [...localAddresses]))].toSorted();
}

const COMMENT_LENGTH_MAX = 200;

/** Whose rule it is, for people who read it; without what would be a word of iptables. */
function commentOf(id: string): string {
  return `-m comment --comment "${id.replace(/[^A-Za-z0-9._/-]/g, '_').slice(0, COMMENT_LENGTH_MAX)}"`;
}
