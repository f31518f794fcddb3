import { formatRange, ipRange, networkBytes } from '@binnacle/base';
import type { IpRange } from '@binnacle/base';
import type { PortRange } from '../policy-rules.ts';

/** The ranges, canonical, without those inside of others: nft takes no set whose intervals overlap. What is no range is left out. */
export function disjointRanges(texts: readonly string[]): string[] {
  const ranges = texts.flatMap((text) => {
    const range = ipRange(text);
    return range === undefined ? [] : [{ bytes: networkBytes(range), bits: range.bits }];
  });
  ranges.sort((a, b) => Buffer.compare(a.bytes, b.bytes) || a.bits - b.bits);
  const kept: IpRange[] = [];
  // Two CIDRs are apart, or one has the other in it: then the larger one came just before.
  for (const range of ranges) {
    const last = kept.at(-1);
    if (last === undefined || !contains(last, range)) kept.push(range);
  }
  return kept.map(formatRange);
}

function contains(outer: IpRange, inner: IpRange): boolean {
  if (outer.bits > inner.bits || outer.bytes.length !== inner.bytes.length) return false;
  return Buffer.compare(networkBytes({ bytes: inner.bytes, bits: outer.bits }), outer.bytes) === 0;
}

/** Port ranges of one protocol, `80` or `80-90`, joined where they touch. */
export function disjointPorts(ranges: readonly Pick<PortRange, 'from' | 'to'>[]): string[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else if (from <= to) joined.push({ from, to });
  }
  return joined.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
}
