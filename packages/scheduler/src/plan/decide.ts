import type { Random } from '@binnacle/base';
import type { NodeTest, Profile, Refusal } from '../framework.ts';
import { POD_COUNT } from './demand.ts';
import type { PodDemand } from './demand.ts';
import { pickBest } from './pick-best.ts';
import { ShapeCache } from './shape-cache.ts';
import type { NodeColumns } from './node-columns.ts';

/** How one plugin scored one node. */
export interface PluginScore {
  readonly plugin: string;
  readonly weight: number;
  /** 0–100, by place in `feasible`. */
  readonly scores: Float64Array;
}

/** The pod goes to this node. */
export interface Placement {
  readonly kind: 'placed';
  readonly slot: number;
  readonly node: string;
  readonly feasible: Int32Array;
  readonly scores: readonly PluginScore[];
  readonly refusals: ReadonlyMap<Refusal, number>;
}

/** The pod fits nowhere now. */
export interface Unplaced {
  readonly kind: 'unplaced';
  /** What the user reads: `0/3 nodes are available: 3 Insufficient cpu.` */
  readonly message: string;
  readonly refusedBy: ReadonlySet<string>;
  readonly refusals: ReadonlyMap<Refusal, number>;
  readonly nominatedNode?: string;
}

export type Decision = Placement | Unplaced;

/** Scratch space that one scheduler reuses for every pod. */
export class Scratch {
  readonly shapes = new ShapeCache();
  feasible = new Int32Array(0);
  total = new Float64Array(0);
  score = new Float64Array(0);

  reserve(nodes: number): void {
    if (this.feasible.length >= nodes) return;
    const size = Math.max(64, nodes * 2);
    this.feasible = new Int32Array(size);
    this.total = new Float64Array(size);
    this.score = new Float64Array(size);
  }
}

export interface DecisionInput {
  readonly profile: Profile;
  readonly demand: PodDemand;
  readonly nodes: NodeColumns;
  readonly random: Random;
  readonly scratch: Scratch;
  /** Keep every plugin's scores, for the explanation. */
  readonly explain: boolean;
}

/** Maps a snapshot and a pod to a decision, exact over all nodes. Pure but for the choice among equals. */
export function decide(input: DecisionInput): Decision {
  const { profile, demand, nodes, scratch } = input;
  if (nodes.size === 0) return unplaced('no nodes available to schedule pods', new Map());
  scratch.reserve(nodes.end);

  const narrowed = preFilter(profile, demand, nodes);
  if ('refusal' in narrowed) return refusedBefore(narrowed.refusal, nodes.size);

  if (!input.explain && narrowed.nodes.nodes === undefined) {
    const found = scratch.shapes.best(input);
    if (found.kind === 'slot') return placeOn(nodes, found.slot);
    if (found.kind === 'none') return nothingFits(input, found.refusals);
  }
  const refusals = new Map<Refusal, number>();
  const count = filter(input, narrowed.nodes, refusals);
  if (count === 0) return nothingFits(input, refusals);
  const kept = score(input, count);
  const winner = pickBest(
    { totals: scratch.total, count, pods: nodes.requested[POD_COUNT]!, slots: scratch.feasible },
    input.random,
  );
  const slot = scratch.feasible[winner] ?? 0;
  return {
    kind: 'placed',
    slot,
    node: nodes.nameOf(slot),
    feasible: input.explain ? scratch.feasible.slice(0, count) : scratch.feasible.slice(winner, winner + 1),
    scores: kept,
    refusals,
  };
}

function placeOn(nodes: NodeColumns, slot: number): Placement {
  return {
    kind: 'placed',
    slot,
    node: nodes.nameOf(slot),
    feasible: Int32Array.of(slot),
    scores: [],
    refusals: new Map(),
  };
}

interface Narrowed {
  readonly nodes: ReadonlySet<string> | undefined;
  readonly by: readonly string[];
}

function preFilter(
  profile: Profile,
  demand: PodDemand,
  nodes: NodeColumns,
): { nodes: Narrowed } | { refusal: Refusal } {
  let allowed: ReadonlySet<string> | undefined;
  const by: string[] = [];
  for (const plugin of profile.plugins) {
    const result = plugin.preFilter?.(demand, nodes);
    if (result?.refusal !== undefined) return { refusal: result.refusal };
    if (result?.nodes === undefined) continue;
    by.push(plugin.name);
    const before: ReadonlySet<string> | undefined = allowed;
    const these = result.nodes;
    allowed = before === undefined ? these : new Set([...these].filter((n) => before.has(n)));
  }
  return { nodes: { nodes: allowed, by } };
}

function filter(input: DecisionInput, narrowed: Narrowed, refusals: Map<Refusal, number>): number {
  const { profile, demand, nodes, scratch } = input;
  const tests: NodeTest[] = [];
  for (const plugin of profile.plugins) {
    const test = plugin.filter?.(demand, nodes);
    if (test !== undefined) tests.push(test);
  }
  const left: Refusal = {
    plugin: narrowed.by[0] ?? '',
    reasons: [`node(s) didn't satisfy plugin(s) [${narrowed.by.join(' ')}]`],
    unresolvable: true,
  };
  const count =
    narrowed.nodes === undefined
      ? testAll(nodes, tests, { feasible: scratch.feasible, refusals })
      : testNamed(nodes, tests, { feasible: scratch.feasible, names: narrowed.nodes, refusals });
  const skipped = narrowed.nodes === undefined ? 0 : nodes.size - countKnown(nodes, narrowed.nodes);
  if (skipped > 0) refusals.set(left, skipped);
  return count;
}

/** Where a pass over nodes puts what it finds. */
interface Sieve {
  readonly feasible: Int32Array;
  readonly refusals: Map<Refusal, number>;
}

/** The hottest loop of the scheduler: no generator, no object per node. */
function testAll(nodes: NodeColumns, tests: readonly NodeTest[], { feasible, refusals }: Sieve): number {
  const { end, nodes: present } = nodes;
  let count = 0;
  for (let slot = 0; slot < end; slot++) {
    if (present[slot] === undefined) continue;
    const refusal = firstRefusal(tests, slot);
    if (refusal === undefined) feasible[count++] = slot;
    else refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
  }
  return count;
}

interface Named extends Sieve {
  readonly names: ReadonlySet<string>;
}

function testNamed(nodes: NodeColumns, tests: readonly NodeTest[], { feasible, names, refusals }: Named): number {
  let count = 0;
  for (const name of names) {
    const slot = nodes.slotOf(name);
    if (slot === undefined) continue;
    const refusal = firstRefusal(tests, slot);
    if (refusal === undefined) feasible[count++] = slot;
    else refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
  }
  return count;
}

function firstRefusal(tests: readonly NodeTest[], slot: number): Refusal | undefined {
  for (let t = 0; t < tests.length; t++) {
    const refusal = tests[t]!(slot);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function countKnown(nodes: NodeColumns, names: ReadonlySet<string>): number {
  let known = 0;
  for (const name of names) if (nodes.slotOf(name) !== undefined) known++;
  return known;
}

function score(input: DecisionInput, count: number): PluginScore[] {
  const { profile, demand, nodes, scratch } = input;
  const kept: PluginScore[] = [];
  const { feasible, total, score: raw } = scratch;
  total.fill(0, 0, count);
  if (count === 1 && !input.explain) return kept;
  for (const plugin of profile.plugins) {
    const scorer = plugin.score?.(demand, nodes);
    if (scorer === undefined) continue;
    for (let i = 0; i < count; i++) raw[i] = scorer(feasible[i]!);
    plugin.normalizeScore?.(raw, count);
    const weight = profile.weights[plugin.name] ?? 1;
    for (let i = 0; i < count; i++) total[i]! += weight * raw[i]!;
    if (input.explain) kept.push({ plugin: plugin.name, weight, scores: raw.slice(0, count) });
  }
  return kept;
}

function unplaced(message: string, refusals: ReadonlyMap<Refusal, number>, nominatedNode?: string): Unplaced {
  const refusedBy = new Set([...refusals.keys()].map((r) => r.plugin));
  return { kind: 'unplaced', message, refusedBy, refusals, ...(nominatedNode === undefined ? {} : { nominatedNode }) };
}

function refusedBefore(refusal: Refusal, total: number): Unplaced {
  return unplaced(`0/${total} nodes are available: ${refusal.reasons.join(', ')}.`, new Map([[refusal, total]]));
}

function nothingFits(input: DecisionInput, refusals: ReadonlyMap<Refusal, number>): Unplaced {
  const reasons = new Map<string, number>();
  for (const [refusal, count] of refusals) {
    for (const reason of refusal.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  const lines = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  let message = `0/${input.nodes.size} nodes are available: ${lines.join(', ')}.`;
  for (const plugin of input.profile.plugins) {
    const found = plugin.postFilter?.(input.demand, input.nodes);
    if (found === undefined) continue;
    if (found.message !== undefined) message += ` ${found.message}`;
    if (found.nominatedNode !== undefined) return unplaced(message, refusals, found.nominatedNode);
  }
  return unplaced(message, refusals);
}
