import type { Random } from '@binnacle/base';
import type { Candidates, DomainView, Failure, NodeTest, Refusal } from './framework.ts';
import type { ClusterState } from './cluster-state.ts';
import { POD_COUNT } from './demand.ts';
import type { PodDemand } from './demand.ts';
import type { Evidence, ScoreColumn } from './evidence.ts';
import { countRefusals, fitMessage } from './evidence.ts';
import { firstRefusal, GroupLook } from './group-look.ts';
import type { ActiveScorer } from './group-look.ts';
import type { LocalResults, ShapeQuestion } from './local-results.ts';
import type { NodeColumns } from './node-columns.ts';
import { pickBest } from './pick-best.ts';
import type { PluginSet, Scorer } from './plugin-set.ts';
import type { Scratch } from './scratch.ts';
import type { GroupedNodes } from './slot-groups.ts';
import { fitsNow, leftRoom, makeFailure } from './trial.ts';
import { PASSED } from './verdicts.ts';

/** The pod goes to this node. */
export interface Placement {
  readonly kind: 'placed';
  readonly slot: number;
  readonly node: string;
  /** Valid until the next decision. */
  readonly evidence: Evidence;
}

/** The pod fits nowhere now. */
export interface Unplaced {
  readonly kind: 'unplaced';
  /** What the user reads, before PostFilter adds to it: `0/3 nodes are available: 3 Insufficient cpu.` */
  readonly message: string;
  readonly refusedBy: ReadonlySet<string>;
  readonly failure: Failure;
  /** Valid until the next decision. */
  readonly evidence: Evidence;
}

export type Decision = Placement | Unplaced;

export interface DecisionInput {
  readonly plugins: PluginSet;
  readonly demand: PodDemand;
  readonly state: ClusterState;
  readonly random: Random;
  readonly scratch: Scratch;
}

/** What PreFilter left. */
export interface Narrowed {
  /** The only nodes to look at; undefined: all. */
  readonly names: ReadonlySet<string> | undefined;
  /** Who said so. */
  readonly by: readonly string[];
  readonly refusal?: Refusal;
}

/** Nodes that others are asked about before one is chosen. */
export interface Sifted {
  readonly kind: 'sifted';
  /** How many candidates there are; their slots are in the scratch space. */
  readonly count: number;
  /** Fills the totals of the first `count` candidates, and returns every score. */
  rank(count: number): ScoreColumn[];
}

/**
 * Maps the snapshot and a pod to a decision, exact over all nodes; or, where `othersAreAsked`, to the candidates. Pure
 * but for the choice among equals.
 */
export function decide(input: DecisionInput, narrowed: Narrowed, othersAreAsked = false): Decision | Sifted {
  const { state, plugins, demand, scratch } = input;
  const { nodes } = state;
  scratch.verdicts.tidy();
  scratch.reserve(nodes.end);
  if (nodes.size === 0) {
    return unplaced(input, noEvidence(input), { message: 'no nodes available to schedule pods' });
  }
  if (narrowed.refusal !== undefined) return refusedBefore(input, narrowed.refusal);
  const few = fewSlots(state.nodes, narrowed.names);
  // Whoever waits for its own node is asked about that one first, apart from all others.
  const heedsWaiting = state.hasNominated && state.nominationOf(demand.uid) === undefined;
  const left: ShapeQuestion['left'] =
    heedsWaiting && few === undefined ? (slot, tests) => leftRoom(input, slot, tests) : undefined;
  const question = { plugins, demand, snapshot: state, verdicts: scratch.verdicts, left };
  const local = few === undefined ? scratch.local.resultsFor(question) : scratch.local.resultsAt(question, few);
  const candidates = new Sieve(input, narrowed, { local, othersAreAsked });
  const scorers = activeScorers(input, candidates);
  if (!candidates.mustLook && scorers.length === 0 && !othersAreAsked && !local.scores.some(isScaled)) {
    const { totals, best } = local;
    const slot = best.pick({ totals, end: nodes.end, pods: nodes.requested[POD_COUNT]! }, input.random);
    const evidence = localEvidence(input, local);
    return totals[slot] === -Infinity ? nothingFits(input, evidence) : place(input, slot, evidence);
  }
  const placed = placeByGroup(input, { local, candidates, scorers });
  if (placed !== undefined) return placed;
  const rankFirst = (count: number): ScoreColumn[] => rank(input, { local, count, scorers });
  const { count } = candidates;
  if (othersAreAsked) return { kind: 'sifted', count, rank: rankFirst };
  return choose(input, count, rankFirst(count));
}

/** Pods that are tied to a few nodes (DaemonSets) are many kinds: what they are told of all others is not worth keeping. */
const FEW = 16;

function fewSlots(nodes: NodeColumns, names: ReadonlySet<string> | undefined): readonly number[] | undefined {
  if (names === undefined || names.size > FEW) return undefined;
  return [...names].flatMap((name) => nodes.slotOf(name) ?? []);
}

function isScaled({ scorer }: { readonly scorer: Scorer }): boolean {
  return scorer.plugin.normalizeScore !== undefined;
}

interface GroupedChoice {
  readonly local: LocalResults;
  readonly candidates: Sieve;
  readonly scorers: readonly ActiveScorer[];
}

/** The best node by groups of nodes; undefined: every node has to be asked. */
function placeByGroup(input: DecisionInput, { local, candidates, scorers }: GroupedChoice): Placement | undefined {
  const { nodes } = input.state;
  if (scorers.some(({ scorer }) => scorer.plugin.looksAt === undefined)) return undefined;
  const { history } = local;
  const look = candidates.kinds;
  // Where nothing fits, what every node was told is needed at once.
  if (look === undefined || look.count === 0 || history === undefined) return undefined;
  const { slot, columns } = look.choose({ local, scorers }, groupedNodes(nodes), input.random);
  const { verdicts } = look;
  const groups = { history: look.groups.history, verdicts };
  const { table } = input.scratch.verdicts;
  return place(input, slot, { nodes, verdict: local.verdicts, table, count: 0, columns, history, groups });
}

function groupedNodes(nodes: NodeColumns): GroupedNodes {
  const { end, version } = nodes;
  const pods = nodes.requested[POD_COUNT]!;
  return { end, version, pods, changedSince: (since, visit) => nodes.changedSince(since, visit) };
}

/** The plugins beyond the local ones that have something to prefer. */
function activeScorers({ plugins, demand, state }: DecisionInput, candidates: Candidates): ActiveScorer[] {
  const active: ActiveScorer[] = [];
  for (const scorer of plugins.score) {
    if (scorer.plugin.isLocal === true) continue;
    const score = scorer.plugin.score?.(demand, state, candidates);
    if (score !== undefined) active.push({ scorer, score });
  }
  return active;
}

/** The nodes that pass everything, found when somebody asks for them. */
class Sieve implements Candidates {
  /** More than the local results has to be looked at. */
  readonly mustLook: boolean;
  readonly #input: DecisionInput;
  readonly #narrowed: Narrowed;
  readonly #local: LocalResults;
  readonly #tests: readonly NodeTest[];
  readonly #nominated: readonly number[];
  readonly #own: number | undefined;
  readonly #isAskedByGroup: boolean;
  #count = -1;
  #kinds: GroupLook | undefined;
  #hasKinds = false;

  constructor(
    input: DecisionInput,
    narrowed: Narrowed,
    { local, othersAreAsked }: { readonly local: LocalResults; readonly othersAreAsked: boolean },
  ) {
    this.#input = input;
    this.#narrowed = narrowed;
    this.#local = local;
    const { plugins, demand, state } = input;
    const tests: NodeTest[] = [];
    let isKnown = true;
    for (const plugin of plugins.filter) {
      if (plugin.isLocal === true) continue;
      const test = plugin.filter?.(demand, state);
      if (test === undefined) continue;
      tests.push(test);
      isKnown &&= plugin.looksAt !== undefined;
    }
    this.#tests = tests;
    const own = state.nominationOf(demand.uid);
    this.#own = own === undefined ? undefined : state.nodes.slotOf(own);
    // What those who wait leave is in the local results where nothing else has a say.
    const isHeeded = own === undefined && tests.length === 0 && local.unsure?.size === 0;
    this.#nominated = state.hasNominated && !isHeeded ? state.nominatedSlots() : [];
    const isFree = narrowed.names === undefined && this.#nominated.length === 0;
    this.mustLook = tests.length > 0 || !isFree;
    this.#isAskedByGroup = isFree && isKnown && !othersAreAsked;
  }

  get kinds(): GroupLook | undefined {
    if (this.#hasKinds || !this.#isAskedByGroup) return this.#kinds;
    this.#hasKinds = true;
    const { state, scratch } = this.#input;
    const views = viewsOf(this.#input);
    const groups = this.#local.grouping?.groupsFor(this.#local, views, groupedNodes(state.nodes));
    if (groups !== undefined) this.#kinds = new GroupLook(groups, this.#tests, scratch.verdicts);
    return this.#kinds;
  }

  get slots(): Int32Array {
    if (this.#count < 0) this.#count = this.#look();
    return this.#input.scratch.feasible;
  }

  get count(): number {
    if (this.#count < 0) this.#count = this.#look();
    return this.#count;
  }

  #look(): number {
    const { names } = this.#narrowed;
    const { scratch, state } = this.#input;
    const { nodes } = state;
    // Room was made for it there: that node is taken when it fits, without a look at the others.
    if (this.#own !== undefined && this.#passesAt(this.#own, names)) {
      if (names === undefined) scratch.verdict.set(this.#local.verdicts.subarray(0, nodes.end));
      else scratch.verdict.fill(this.#leftOut(), 0, nodes.end);
      scratch.verdict[this.#own] = PASSED;
      scratch.feasible[0] = this.#own;
      return 1;
    }
    const count = names === undefined ? this.#lookAtAll() : this.#lookAtNamed(names);
    return this.#nominated.length === 0 ? count : this.#minusPromised(count);
  }

  #passesAt(slot: number, names: ReadonlySet<string> | undefined): boolean {
    const { state } = this.#input;
    if (names?.has(state.nodes.nameOf(slot)) === false || this.#local.totals[slot] === -Infinity) return false;
    return fitsNow(this.#input, slot) === undefined;
  }

  /** The hottest loop of the scheduler: no generator, no object per node. */
  #lookAtAll(): number {
    const { scratch, state } = this.#input;
    const { feasible, verdict, verdicts } = scratch;
    const { end } = state.nodes;
    const { totals } = this.#local;
    const tests = this.#tests;
    verdict.set(this.#local.verdicts.subarray(0, end));
    let count = 0;
    for (let slot = 0; slot < end; slot++) {
      if (totals[slot] === -Infinity) continue;
      const refusal = firstRefusal(tests, slot);
      if (refusal === undefined) feasible[count++] = slot;
      else verdict[slot] = verdicts.idOf(refusal);
    }
    return count;
  }

  #lookAtNamed(names: ReadonlySet<string>): number {
    const { scratch, state } = this.#input;
    const { nodes } = state;
    const { feasible, verdict, verdicts } = scratch;
    verdict.fill(this.#leftOut(), 0, nodes.end);
    let count = 0;
    for (const name of names) {
      const slot = nodes.slotOf(name);
      if (slot === undefined) continue;
      verdict[slot] = this.#local.verdicts[slot]!;
      if (verdict[slot] !== PASSED) continue;
      const refusal = firstRefusal(this.#tests, slot);
      if (refusal === undefined) feasible[count++] = slot;
      else verdict[slot] = verdicts.idOf(refusal);
    }
    return count;
  }

  /** What nodes are told that PreFilter left out. */
  #leftOut(): number {
    const { by } = this.#narrowed;
    const reasons = [`node(s) didn't satisfy plugin(s) [${by.join(' ')}]`];
    return this.#input.scratch.verdicts.idOf({ plugin: by[0] ?? '', reasons, unresolvable: true });
  }

  /** Nodes on which pods of no lower priority wait for their room have to fit with them, too. */
  #minusPromised(count: number): number {
    const { scratch } = this.#input;
    const promised = new Set(this.#nominated);
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const slot = scratch.feasible[i]!;
      const refusal = promised.has(slot) ? fitsNow(this.#input, slot) : undefined;
      if (refusal === undefined) scratch.feasible[kept++] = slot;
      else scratch.verdict[slot] = scratch.verdicts.idOf(refusal);
    }
    return kept;
  }
}

/** All that the plugins beyond the local ones look at, as far as they say so. */
function viewsOf({ plugins, demand, state }: DecisionInput): readonly DomainView[] {
  const views: DomainView[] = [];
  for (const plugin of plugins.byName.values()) {
    if (plugin.isLocal !== true && plugin.looksAt !== undefined) views.push(...plugin.looksAt(demand, state));
  }
  return views;
}

interface Ranking {
  readonly local: LocalResults;
  readonly count: number;
  readonly scorers: readonly ActiveScorer[];
}

/** Fills the totals of the candidates, and keeps every score. What needs no scaling is summed up by slot already. */
function rank({ scratch, state }: DecisionInput, { local, count, scorers }: Ranking): ScoreColumn[] {
  const { feasible, total } = scratch;
  const { totals } = local;
  const columns: ScoreColumn[] = [];
  let scaled = 0;
  const add = ({ plugin, weight }: Scorer, rawAt: (slot: number) => number): void => {
    const scores = scratch.column(scaled++);
    for (let i = 0; i < count; i++) scores[i] = rawAt(feasible[i]!);
    plugin.normalizeScore?.(scores, count);
    for (let i = 0; i < count; i++) {
      if (Number.isNaN(scores[i]!)) scores[i] = 0;
      total[i]! += weight * scores[i]!;
    }
    columns.push({ plugin: plugin.name, weight, scores });
  };
  for (let i = 0; i < count; i++) total[i] = totals[feasible[i]!]!;
  for (const { scorer, raw } of local.scores) {
    const { weight } = scorer;
    const { name } = scorer.plugin;
    if (isScaled({ scorer })) add(scorer, (slot) => raw[slot]!);
    else if (count > state.nodes.end / 4) columns.push({ plugin: name, weight, scores: raw, isBySlot: true });
    else {
      // Of few nodes of many: whoever keeps it has less to copy.
      const scores = scratch.column(scaled++);
      for (let i = 0; i < count; i++) scores[i] = raw[feasible[i]!]!;
      columns.push({ plugin: name, weight, scores });
    }
  }
  for (const { scorer, score } of scorers) add(scorer, score);
  return columns;
}

/** The best of the first `count` candidates, by the totals in the scratch space. */
export function choose(input: DecisionInput, count: number, columns: readonly ScoreColumn[]): Decision {
  const { scratch, state } = input;
  const evidence: Evidence = {
    nodes: state.nodes,
    verdict: scratch.verdict,
    table: scratch.verdicts.table,
    slots: scratch.feasible,
    count,
    columns,
  };
  if (count === 0) return nothingFits(input, evidence);
  const winner = pickBest(
    { totals: scratch.total, count, pods: state.nodes.requested[POD_COUNT]!, slots: scratch.feasible },
    input.random,
  );
  return place(input, scratch.feasible[winner]!, evidence);
}

function place({ state }: DecisionInput, slot: number, evidence: Evidence): Placement {
  return { kind: 'placed', slot, node: state.nodes.nameOf(slot), evidence };
}

function localEvidence({ state, scratch }: DecisionInput, local: LocalResults): Evidence {
  const columns = local.scores.map(({ scorer, raw }) => ({
    plugin: scorer.plugin.name,
    weight: scorer.weight,
    scores: raw,
  }));
  const { history } = local;
  const said = { nodes: state.nodes, verdict: local.verdicts, table: scratch.verdicts.table, count: 0, columns };
  return history === undefined ? said : { ...said, history };
}

function noEvidence({ state, scratch }: DecisionInput): Evidence {
  return { nodes: state.nodes, verdict: scratch.verdict, table: scratch.verdicts.table, count: 0, columns: [] };
}

function refusedBefore(input: DecisionInput, refusal: Refusal): Unplaced {
  const { scratch, state } = input;
  scratch.verdict.fill(scratch.verdicts.idOf(refusal), 0, state.nodes.end);
  const message = `0/${state.nodes.size} nodes are available: ${refusal.reasons.join(', ')}.`;
  return unplaced(input, noEvidence(input), { message, preFilter: refusal });
}

function nothingFits(input: DecisionInput, evidence: Evidence): Unplaced {
  return unplaced(input, evidence, { message: fitMessage(evidence) });
}

interface Explained {
  readonly message: string;
  readonly preFilter?: Refusal;
}

function unplaced(input: DecisionInput, evidence: Evidence, { message, preFilter }: Explained): Unplaced {
  const refusedBy = new Set([...countRefusals(evidence).keys()].map((r) => r.plugin));
  const failure = makeFailure(input, evidence, preFilter);
  return { kind: 'unplaced', message, refusedBy, failure, evidence };
}
