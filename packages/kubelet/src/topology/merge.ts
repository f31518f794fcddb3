/** Which nodes of a machine all that a container asks for comes from: the policies of Kubernetes' topology manager. Pure. */
import { type Hint, type Hints, allOf, countOf, isNarrower } from './hint.ts';

export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

export interface MergeOptions {
  readonly policy: TopologyPolicy;
  readonly nodeCount: number;
  /** How far each node is from each, by position; absent: of equally many nodes the first ones are taken. */
  readonly distances?: readonly (readonly number[])[] | undefined;
}

export interface Merged {
  /** Undefined: anywhere. */
  readonly nodes: number | undefined;
  readonly isPreferred: boolean;
  /** The policy lets the pod in. */
  readonly admits: boolean;
}

/** What was told of by all who give something, made one. */
export function mergeHints(told: readonly Hints[], of: MergeOptions): Merged {
  const all = told.flatMap(listsOf);
  const isSingle = of.policy === 'single-numa-node';
  const lists = isSingle ? all.map((list) => list.filter(isSingleNode)) : all;
  const everywhere = allOf(of.nodeCount);
  const best = bestOf(combined(lists, everywhere), { ...of, wanted: mostOfLeast(lists) });
  const { nodes, isPreferred } = best ?? { nodes: everywhere, isPreferred: false };
  const admits = of.policy === 'best-effort' || of.policy === 'none' || isPreferred;
  return { nodes: isSingle && nodes === everywhere ? undefined : nodes, isPreferred, admits };
}

const ANYWHERE: readonly Hint[] = [{ nodes: undefined, isPreferred: true }];
const NOWHERE: readonly Hint[] = [{ nodes: undefined, isPreferred: false }];

function listsOf(hints: Hints): readonly (readonly Hint[])[] {
  if (hints.size === 0) return [ANYWHERE];
  return [...hints.values()].map((list) => (list === undefined ? ANYWHERE : list.length === 0 ? NOWHERE : list));
}

function isSingleNode({ nodes, isPreferred }: Hint): boolean {
  return isPreferred && (nodes === undefined || countOf(nodes) === 1);
}

/** What is met only from so many nodes at the least, of all that is asked for. */
function mostOfLeast(lists: readonly (readonly Hint[])[]): number {
  const least = lists.map((list) =>
    Math.min(...list.flatMap(({ nodes }) => (nodes === undefined ? [] : [countOf(nodes)]))),
  );
  return Math.max(0, ...least.filter(Number.isFinite));
}

interface Candidate {
  readonly nodes: number;
  readonly isPreferred: boolean;
}

/**
 * The nodes that one hint of each list have in common, for every choice of hints. It is preferred where all of them are, and name the
 * same nodes. Choices that come to the same go on as one: their number is bounded by that of the sets of nodes.
 */
function combined(lists: readonly (readonly Hint[])[], everywhere: number): Candidate[] {
  /** Chosen so far: all preferred and of the same nodes (undefined: of none yet), or not. */
  let preferred = new Set<number | undefined>([undefined]);
  let others = new Set<number>();
  for (const list of lists) {
    const nextPreferred = new Set<number | undefined>();
    const nextOthers = new Set<number>();
    for (const { nodes, isPreferred } of list) {
      for (const so of preferred) {
        const isSame = so === undefined || nodes === undefined || so === nodes;
        if (isPreferred && isSame) nextPreferred.add(so ?? nodes);
        else nextOthers.add((so ?? everywhere) & (nodes ?? everywhere));
      }
      for (const so of others) nextOthers.add(so & (nodes ?? everywhere));
    }
    preferred = nextPreferred;
    others = nextOthers;
  }
  return [
    ...[...preferred].map((nodes) => ({ nodes: nodes ?? everywhere, isPreferred: true })),
    ...[...others].map((nodes) => ({ nodes, isPreferred: false })),
  ].filter(({ nodes }) => nodes !== 0);
}

type Order = MergeOptions & {
  /** Of those that are not preferred, the ones of so many nodes are best, then those of fewer, then those of more. */
  readonly wanted: number;
};

function bestOf(candidates: readonly Candidate[], order: Order): Candidate | undefined {
  let best: Candidate | undefined;
  for (const one of candidates) if (best === undefined || isBetter(one, best, order)) best = one;
  return best;
}

function isBetter(one: Candidate, best: Candidate, order: Order): boolean {
  if (one.isPreferred !== best.isPreferred) return one.isPreferred;
  if (!one.isPreferred) {
    const [a, b] = [distanceFrom(order.wanted, one), distanceFrom(order.wanted, best)];
    if (a !== b) return a < b;
  }
  return isCloser(one.nodes, best.nodes, order);
}

const MORE = 1_000;

function distanceFrom(wanted: number, { nodes }: Candidate): number {
  const count = countOf(nodes);
  return count <= wanted ? wanted - count : MORE + count;
}

function isCloser(a: number, b: number, { policy, distances }: MergeOptions): boolean {
  if (distances === undefined || policy === 'single-numa-node' || countOf(a) !== countOf(b)) return isNarrower(a, b);
  const [ofA, ofB] = [meanDistance(a, distances), meanDistance(b, distances)];
  return ofA === ofB ? a < b : ofA < ofB;
}

function meanDistance(nodes: number, distances: readonly (readonly number[])[]): number {
  const positions = distances.map((_, i) => i).filter((i) => (nodes & (1 << i)) !== 0);
  const all = positions.flatMap((from) => positions.map((to) => distances[from]?.[to] ?? 0));
  return all.length === 0 ? 0 : all.reduce((sum, distance) => sum + distance, 0) / all.length;
}
