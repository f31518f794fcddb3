/**
 * Where on a machine of several memory nodes (NUMA) something could be given. Sets of nodes are bits: bit i is the i-th node of the
 * machine, by rising number. Pure.
 */

/** One way to meet a wish. */
export interface Hint {
  /** The nodes that it would come from; undefined: anywhere. */
  readonly nodes: number | undefined;
  /** No fewer nodes could do. */
  readonly isPreferred: boolean;
}

/** By resource. Undefined: it does not matter where; none: it cannot be met anywhere. */
export type Hints = ReadonlyMap<string, readonly Hint[] | undefined>;

/** Has no wish as to where. */
export const NO_HINTS: Hints = new Map();

/** How many nodes a set has. */
export function countOf(nodes: number): number {
  let count = 0;
  for (let left = nodes; left !== 0; left &= left - 1) count++;
  return count;
}

export function allOf(nodeCount: number): number {
  return 2 ** nodeCount - 1;
}

/** Fewer nodes, or as many that come earlier. */
export function isNarrower(a: number, b: number): boolean {
  return countOf(a) === countOf(b) ? a < b : countOf(a) < countOf(b);
}

/**
 * All sets of nodes from which a wish could be met now. Those as small as they could be on an empty machine are preferred.
 * `within`: the nodes that count.
 */
export function possibleHints(
  within: number,
  of: { readonly couldEver: (nodes: number) => boolean; readonly canNow: (nodes: number) => boolean },
): readonly Hint[] {
  let least = countOf(within);
  const found: number[] = [];
  // Each subset once, the largest first.
  for (let nodes = within; nodes !== 0; nodes = (nodes - 1) & within) {
    if (!of.couldEver(nodes)) continue;
    least = Math.min(least, countOf(nodes));
    if (of.canNow(nodes)) found.push(nodes);
  }
  return found.map((nodes) => ({ nodes, isPreferred: countOf(nodes) === least }));
}

/** The set of the nodes of these numbers; `known`: all numbers of the machine, rising. */
export function nodeSet(known: readonly number[], ids: Iterable<number>): number {
  let set = 0;
  for (const id of ids) if (known.includes(id)) set |= 1 << known.indexOf(id);
  return set;
}

/** Whether a node of a number is one of a set. */
export function isWithin(set: number, known: readonly number[], id: number): boolean {
  const position = known.indexOf(id);
  return position !== -1 && (set & (1 << position)) !== 0;
}
