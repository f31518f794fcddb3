import { ofFamily } from '@binnacle/base';
import type { Family, NodeRules } from '../rules.ts';
import { NAMES } from './names.ts';
import { askForMask } from './render-service.ts';
import { maskMark } from '../mask-mark.ts';

/** A table of ours: `ip binnacle`. */
export interface TableRef {
  readonly family: Family;
  readonly name: string;
}

/** As nft names it. */
export function tableName({ family, name }: TableRef): string {
  return `${family === 'IPv4' ? 'ip' : 'ip6'} ${name}`;
}

/** How nft names what a packet has of the table's family, and what sets have: `ip`, `ipv4_addr`. */
export function typesOf({ family }: TableRef): { readonly ip: string; readonly type: string } {
  return family === 'IPv6' ? { ip: 'ip6', type: 'ipv6_addr' } : { ip: 'ip', type: 'ipv4_addr' };
}

/** The table without any Service: base chains, maps, and the rules between them; an empty table of that name before. */
export function renderTable(table: TableRef, node: NodeRules): string[] {
  const ref = tableName(table);
  const { ip, type } = typesOf(table);
  const mine = (ranges: readonly string[] = []): string[] => ofFamily(ranges, table.family);
  const destination = `${type} . inet_proto . inet_service`;
  const lines = [
    ...emptyTable(ref),
    ...BASE_CHAINS.map(([chain, hook]) => `add chain ${ref} ${chain} { type ${hook} ; }`),
    ...[NAMES.services, NAMES.masquerading, NAMES.reject].map((chain) => `add chain ${ref} ${chain}`),
    `add set ${ref} ${NAMES.clusterIPs} { type ${type} ; }`,
    `add set ${ref} ${NAMES.hairpins} { type ${type} . ${type} ; }`,
    ...[NAMES.serviceIPs, NAMES.unservedIPs, NAMES.firewallIPs].map(
      (map) => `add map ${ref} ${map} { type ${destination} : verdict ; }`,
    ),
    ...[NAMES.nodePorts, NAMES.unservedNodePorts].map(
      (map) => `add map ${ref} ${map} { type inet_proto . inet_service : verdict ; }`,
    ),
    ...addressSet(ref, { name: NAMES.insiders, type, addresses: node.insiders && mine(node.insiders) }),
    ...addressSet(ref, {
      name: NAMES.nodePortIPs,
      type,
      addresses: node.nodePortAddresses && mine(node.nodePortAddresses),
    }),
  ];
  const rule = (chain: string, text: string): number => lines.push(`add rule ${ref} ${chain} ${text}`);
  const to = `${ip} daddr . meta l4proto . th dport vmap`;
  const nodePort = `${nodePortMatch(node, ip)} meta l4proto . th dport vmap`;
  const serviceRanges = mine(node.serviceRanges);

  for (const chain of ['firewall-prerouting', 'firewall-output'])
    rule(chain, `ct state new ${to} @${NAMES.firewallIPs}`);
  for (const [chain, text] of filterRules(node, { ip, to, nodePort, serviceRanges })) rule(chain, text);
  // A machine that asks itself takes an ICMP refusal for a passing one, and waits a second before it asks again.
  rule(NAMES.reject, 'meta l4proto tcp reject with tcp reset');
  rule(NAMES.reject, 'reject');
  if (node.insiders !== undefined) {
    rule('nat-prerouting', `${ip} saddr != @${NAMES.insiders} fib saddr type != local accept`);
  }
  for (const text of passStrangers(node, ip, serviceRanges)) rule('nat-prerouting', text);
  for (const chain of ['nat-prerouting', 'nat-output']) rule(chain, `jump ${NAMES.services}`);
  const pods = mine(node.podRanges);
  if (node.masqueradeAll) rule(NAMES.services, `${ip} daddr @${NAMES.clusterIPs} ${askForMask(node)}`);
  else if (pods.length > 0) {
    rule(NAMES.services, `${ip} daddr @${NAMES.clusterIPs} ${ip} saddr != { ${pods.join(', ')} } ${askForMask(node)}`);
  }
  rule(NAMES.services, `${to} @${NAMES.serviceIPs}`);
  rule(NAMES.services, `${nodePort} @${NAMES.nodePorts}`);
  rule('nat-postrouting', `jump ${NAMES.masquerading}`);
  const bit = maskMark(node);
  rule(NAMES.masquerading, `meta mark & ${bit} != 0 meta mark set meta mark xor ${bit} masquerade fully-random`);
  rule(NAMES.masquerading, `ct status dnat ${ip} saddr . ${ip} daddr @${NAMES.hairpins} masquerade fully-random`);
  for (const text of masqueradeOut(node, ip, mine)) rule('nat-postrouting', text);
  return lines;
}

function emptyTable(ref: string): readonly string[] {
  const made = `add table ${ref} { comment "Binnacle: traffic to Services" ; }`;
  return [made, `delete table ${ref}`, made];
}

/** What refuses whom no Service serves, and drops what nobody knows: each rule with its chain. */
function filterRules(
  node: NodeRules,
  of: {
    readonly ip: string;
    readonly to: string;
    readonly nodePort: string;
    readonly serviceRanges: readonly string[];
  },
): (readonly [chain: string, text: string])[] {
  const { ip, to, nodePort, serviceRanges } = of;
  const unserved = `ct state new ${to} @${NAMES.unservedIPs}`;
  const known = `ct state new ${ip} daddr @${NAMES.clusterIPs} goto ${NAMES.reject}`;
  const strangers = passStrangers(node, ip, serviceRanges);
  const drops = serviceRanges.length === 0 ? [] : [`ct state new ${ip} daddr { ${serviceRanges.join(', ')} } drop`];
  const chains = {
    'filter-input': [`ct state new ${nodePort} @${NAMES.unservedNodePorts}`, unserved],
    'filter-forward': [...strangers, unserved, known],
    'filter-output': [unserved, known],
    'unknown-forward': [...strangers, ...drops],
    'unknown-output': drops,
  };
  return Object.entries(chains).flatMap(([chain, rules]) => rules.map((text) => [chain, text] as const));
}

/** Pods of another cluster on this machine mean their own cluster's Services: its table sees what this one passes over. */
function passStrangers({ links }: NodeRules, ip: string, serviceRanges: readonly string[]): string[] {
  if (links === undefined || serviceRanges.length === 0) return [];
  const { all, own } = links;
  return [`iifname "${all}*" iifname != "${own}*" ${ip} daddr { ${serviceRanges.join(', ')} } accept`];
}

/** What pods say to the world goes as from the node. */
function masqueradeOut(
  { masqueradeOut: wanted }: NodeRules,
  ip: string,
  mine: (ranges: readonly string[] | undefined) => readonly string[],
): string[] {
  const [from, except] = [mine(wanted?.from), mine(wanted?.except)];
  if (from.length === 0) return [];
  const away = except.length === 0 ? '' : `${ip} daddr != { ${except.join(', ')} } `;
  return [`${ip} saddr { ${from.join(', ')} } ${away}masquerade fully-random`];
}

/**
 * Firewalls see where a packet was going before it is sent elsewhere. Of two tables with one priority the one that was made last
 * has a packet first: with one less, ports of Services are theirs, whenever CNI made its port mappings. What nobody knows is dropped
 * behind all refusals: a cluster beside this one may have the same range, and know the address.
 */
const BASE_CHAINS: readonly (readonly [name: string, hook: string])[] = [
  ['firewall-prerouting', 'filter hook prerouting priority -110'],
  ['firewall-output', 'filter hook output priority -110'],
  ['filter-input', 'filter hook input priority 0'],
  ['filter-forward', 'filter hook forward priority 0'],
  ['filter-output', 'filter hook output priority 0'],
  ['unknown-forward', 'filter hook forward priority 1'],
  ['unknown-output', 'filter hook output priority 1'],
  ['nat-prerouting', 'nat hook prerouting priority -101'],
  ['nat-output', 'nat hook output priority -101'],
  ['nat-postrouting', 'nat hook postrouting priority 100'],
];

function nodePortMatch({ nodePortAddresses }: NodeRules, ip: string): string {
  if (nodePortAddresses !== undefined) return `${ip} daddr @${NAMES.nodePortIPs}`;
  const loopback = ip === 'ip6' ? '::1' : '127.0.0.0/8';
  return `fib daddr type local ${ip} daddr != ${loopback}`;
}

function addressSet(
  ref: string,
  set: { readonly name: string; readonly type: string; readonly addresses: readonly string[] | undefined },
): string[] {
  if (set.addresses === undefined) return [];
  const made = [`add set ${ref} ${set.name} { type ${set.type} ; flags interval ; auto-merge ; }`];
  if (set.addresses.length > 0) made.push(`add element ${ref} ${set.name} { ${set.addresses.join(', ')} }`);
  return made;
}
