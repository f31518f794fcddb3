import type { HopKind } from '@binnacle/base';
import type { TraceHop } from './hop.ts';

/** Of one request, what comes after what. */
const ORDER: readonly HopKind[] = ['watch', 'request', 'authorization', 'admission', 'commit', 'delivery'];

/**
 * Hops in the order of their beginning; of those that began in the same moment each comes after its cause, then as they
 * were recorded. Linear but for the sorting.
 */
export function inOrder(hops: readonly TraceHop[]): TraceHop[] {
  const sorted = hops.toSorted(before);
  const ordered: TraceHop[] = [];
  for (let start = 0; start < sorted.length;) {
    let end = start + 1;
    while (end < sorted.length && sorted[end]?.atMs === sorted[start]?.atMs) end++;
    if (end === start + 1) ordered.push(...sorted.slice(start, end));
    else addMoment(ordered, sorted.slice(start, end));
    start = end;
  }
  return ordered;
}

function before(a: TraceHop, b: TraceHop): number {
  if (a.atMs !== b.atMs) return a.atMs - b.atMs;
  const recorded = Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion);
  return recorded === 0 ? ORDER.indexOf(a.type) - ORDER.indexOf(b.type) : recorded;
}

/** What happened in one moment: each hop after its cause. A ring of causes, which nobody honest reports, is cut. */
function addMoment(ordered: TraceHop[], moment: readonly TraceHop[]): void {
  const waiting = new Map(moment.map((hop) => [hop.metadata.name, hop]));
  const parts = new Map<string, TraceHop[]>();
  for (const hop of moment) {
    if (!isPart(hop) || hop.cause.type !== 'hop') continue;
    const known = parts.get(hop.cause.hop);
    if (known === undefined) parts.set(hop.cause.hop, [hop]);
    else known.push(hop);
  }
  for (const first of moment) {
    const chain: TraceHop[] = [];
    for (let hop: TraceHop | undefined = first; hop !== undefined && waiting.delete(hop.metadata.name);) {
      chain.push(hop);
      hop = hop.cause.type === 'hop' ? waiting.get(hop.cause.hop) : undefined;
    }
    for (const hop of chain.toReversed()) {
      ordered.push(hop);
      // What was decided about a request stands right behind it.
      for (const part of parts.get(hop.metadata.name) ?? []) if (waiting.delete(part.metadata.name)) ordered.push(part);
    }
  }
}

function isPart({ type }: TraceHop): boolean {
  return type === 'authorization' || type === 'admission';
}
