import { formatRange, ipRange } from '@binnacle/base';
import type { AddressBlock, Allowance, Direction, PolicyRules } from '../policy-rules.ts';
import { disjointPorts, disjointRanges } from './disjoint.ts';
import { hashedName } from './names.ts';

/** A condition of a rule, and the family that it is about; `''`: either. */
interface Match {
  readonly family: '' | '4' | '6';
  readonly text: string;
}

const ANYWHERE: Match = { family: '', text: '' };
const ANYTHING: readonly Match[] = [ANYWHERE];
const PORT_MAX = 65_535;

/** So many rules may one of an allowance's peers have with each of its ports; beyond, its ports are a chain of their own. */
const PAIRS_MAX = 24;

/** A policy as its chains with their rules, `name` first: what they do not accept comes back to who asked. */
export function renderPolicy({ direction, allowances }: PolicyRules, name: string): Map<string, readonly string[]> {
  const chains = new Map<string, readonly string[]>([[name, []]]);
  const rules = new Set<string>();
  for (const [at, allowance] of allowances.entries()) {
    const { from, ports } = matchesOf(allowance, direction);
    const isLong = from.length > 1 && ports.length > 1 && from.length * ports.length > PAIRS_MAX;
    const accepted = isLong ? [ANYWHERE] : ports;
    const verdict = isLong ? `jump ${name}-${at}` : 'accept';
    for (const rule of paired(from, accepted, verdict)) rules.add(rule);
    // One policy may name ten thousand of either.
    if (isLong) chains.set(`${name}-${at}`, paired([ANYWHERE], ports, 'accept'));
  }
  return chains.set(name, [...rules]);
}

function paired(from: readonly Match[], ports: readonly Match[], verdict: string): string[] {
  return from.flatMap((peer) =>
    ports
      .filter(({ family }) => family === '' || peer.family === '' || family === peer.family)
      .map((port) => [peer.text, port.text, verdict].filter((text) => text !== '').join(' ')),
  );
}

function matchesOf(
  { peers, ports }: Allowance,
  direction: Direction,
): { readonly from: readonly Match[]; readonly ports: readonly Match[] } {
  const other = direction === 'ingress' ? 'saddr' : 'daddr';
  const from =
    peers === undefined
      ? ANYTHING
      : [
          ...peers.groups.flatMap((id) => named(hashedName('peers', id), (ip) => `${ip} ${other}`)),
          ...peers.blocks.flatMap((block) => blockMatch(block, other)),
        ];
  return { from, ports: ports === undefined ? ANYTHING : portMatches(ports) };
}

/** A set of each family. */
function named(name: string, field: (ip: 'ip' | 'ip6') => string): Match[] {
  return [
    { family: '4', text: `${field('ip')} @${name}-4` },
    { family: '6', text: `${field('ip6')} @${name}-6` },
  ];
}

function blockMatch({ range, except }: AddressBlock, other: string): Match[] {
  const wanted = ipRange(range);
  if (wanted === undefined) return [];
  const family = range.includes(':') ? '6' : '4';
  const [ip, protocol] = family === '6' ? ['ip6', 'ipv6'] : ['ip', 'ipv4'];
  const inside = wanted.bits === 0 ? `meta nfproto ${protocol}` : `${ip} ${other} ${formatRange(wanted)}`;
  // Without an exception that means nothing, those would be let through whom it was to hold back.
  if (except.some((one) => ipRange(one) === undefined)) return [];
  const not = disjointRanges(except.filter((one) => one.includes(':') === (family === '6')));
  if (not.some((one) => one.endsWith('/0'))) return [];
  return [{ family, text: not.length === 0 ? inside : `${inside} ${ip} ${other} != { ${not.join(', ')} }` }];
}

function portMatches({ ranges, destinations }: NonNullable<Allowance['ports']>): Match[] {
  const plain = (['tcp', 'udp', 'sctp'] as const).flatMap((protocol): Match[] => {
    const mine = disjointPorts(ranges.filter((range) => range.protocol === protocol));
    if (mine.length === 0) return [];
    const all = mine[0] === `0-${PORT_MAX}`;
    return [{ family: '', text: all ? `meta l4proto ${protocol}` : `${protocol} dport { ${mine.join(', ')} }` }];
  });
  const byName = destinations.flatMap((id) =>
    named(hashedName('ports', id), (ip) => `${ip} daddr . meta l4proto . th dport`),
  );
  return [...plain, ...byName];
}
