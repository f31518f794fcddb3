import type { Refusal } from './framework.ts';
import type { Evidence, ScoreColumn } from './evidence.ts';
import type { ExplainedPreemption, PreemptionEvent, PreemptionTale } from './preemption-tale.ts';
import type { SlotHistory } from './slot-history.ts';
import { PASSED } from './verdicts.ts';

/** Nodes that fell at one filter for one reason. */
export interface ExplainedRefusal {
  readonly plugin: string;
  readonly reasons: readonly string[];
  /** How many, and which. */
  readonly nodes: number;
  readonly names: readonly string[];
}

/** What one node got. */
export interface ExplainedScore {
  readonly node: string;
  readonly total: number;
  /** By plugin, weighted. */
  readonly by: { readonly [plugin: string]: number };
}

/** One decision as a person wants to read it. */
export interface Explanation {
  /** `namespace/name`. */
  readonly pod: string;
  readonly uid: string;
  /** When, milliseconds since the epoch. */
  readonly at: number;
  readonly node?: string;
  readonly message?: string;
  /** Where the pod waits for room that preemption makes. */
  readonly nominatedNode?: string;
  /** False: what was said of each node is forgotten, as later decisions needed the room. */
  readonly isComplete: boolean;
  readonly refused: readonly ExplainedRefusal[];
  /** Every node that passed, highest total first. */
  readonly scored: readonly ExplainedScore[];
  /** What was looked at to make room; of a pod that has its node by now, how that came about. */
  readonly preemption?: ExplainedPreemption;
}

/** What is known of a decision besides what was said of each node. */
export interface DecisionFacts {
  readonly pod: string;
  readonly uid: string;
  readonly at: number;
  readonly node?: string;
  readonly message?: string;
  readonly nominatedNode?: string;
}

/** What was said of each node. */
interface Said {
  readonly names: readonly string[];
  readonly table: readonly (Refusal | undefined)[];
  readonly verdict: Uint16Array;
  readonly slots: Int32Array | undefined;
  /** How many of the slots count. */
  readonly count: number;
  readonly columns: readonly ScoreColumn[];
}

/** The same in columns that are the log's own. */
interface Copied extends Said {
  readonly bytes: number;
}

/** The same in columns that others write over, which know what they were. */
interface Past extends Said {
  readonly history: SlotHistory;
  readonly mark: number;
  /** The same of the groups that the nodes were in, and what was said of those. */
  readonly groups: { readonly history: SlotHistory; readonly mark: number; readonly verdicts: Uint16Array } | undefined;
  /** Of what was said of groups. */
  readonly bytes: number;
}

type Details = Copied | Past;

interface Entry {
  facts: DecisionFacts;
  details: Details | undefined;
  /** The latest one of the pod, of this decision or one before. */
  preemption: PreemptionTale | undefined;
}

/** What became known after a decision: what PostFilter found. */
export interface LaterFacts extends Pick<DecisionFacts, 'message' | 'nominatedNode'> {
  readonly preemption?: PreemptionTale;
}

/** How much the details of all decisions may take. */
const BYTES_MAX = 16 * 2 ** 20;
/** What a list takes for each of its names, which are the nodes' own. */
const NAME_BYTES = 8;
/** Columns that are laid aside to be used again, so that a decision allocates nothing large. */
const SPARE_MAX = 16;

/**
 * The latest decisions with every score of every node, kept in columns as the decision had them and put into words only
 * when somebody asks. Bounded twice: the oldest decisions are forgotten, and before that what they said of each node.
 */
export class ExplanationLog {
  readonly #bound: number;
  readonly #isPlaced: (uid: string) => boolean;
  readonly #byPod = new Map<string, Entry>();
  /** Those with details, the oldest first: no more than there are pods, however often each is decided. */
  readonly #detailed = new Set<Entry>();
  /** How many of them point at each history and at each list of names, and what it was counted as: it is paid for once. */
  readonly #shared = new Map<SlotHistory | readonly string[], { pointing: number; bytes: number }>();
  readonly #spareScores: Float64Array[] = [];
  readonly #spareVerdicts: Uint16Array[] = [];
  readonly #spareSlots: Int32Array[] = [];
  #bytes = 0;

  /** Keeps the latest `bound` decisions; `isPlaced` says of a pod's uid whether it is on a node. */
  constructor(bound: number, isPlaced: (uid: string) => boolean = () => false) {
    this.#bound = bound;
    this.#isPlaced = isPlaced;
  }

  /** Takes note of a decision; what the evidence points at is copied, unless it can be told later. */
  put(facts: DecisionFacts, evidence: Evidence): void {
    const before = this.#byPod.get(facts.pod);
    if (before !== undefined) this.#forgetDetails(before);
    const entry: Entry = { facts, details: this.#keep(evidence), preemption: undefined };
    this.#byPod.delete(facts.pod);
    this.#byPod.set(facts.pod, entry);
    this.#detailed.add(entry);
    if (before?.preemption !== undefined) this.#goOn(entry, before);
    this.#forgetMany(entry);
    if (this.#byPod.size > this.#bound) this.#forgetOldest();
  }

  /** Adds what became known later. */
  amend(pod: string, { preemption, ...facts }: LaterFacts): void {
    const entry = this.#byPod.get(pod);
    if (entry === undefined) return;
    entry.facts = { ...entry.facts, ...facts };
    if (preemption === undefined || entry.details === undefined) return;
    const earlier = entry.preemption;
    if (preemption.isRefused && earlier?.hasChosen === true) return earlier.note({ what: 'waits' }, entry.facts.at);
    if (earlier !== undefined) preemption.follow(earlier);
    this.#setPreemption(entry, preemption);
    this.#forgetMany(entry);
  }

  /** Something became of the room that is being made for a pod. */
  note({ pod, uid, at }: Pick<DecisionFacts, 'pod' | 'uid' | 'at'>, event: PreemptionEvent): void {
    const entry = this.#byPod.get(pod);
    if (entry?.facts.uid === uid) entry.preemption?.note(event, at);
  }

  get(pod: string): Explanation | undefined {
    const entry = this.#byPod.get(pod);
    if (entry === undefined) return undefined;
    const { facts, details } = entry;
    const preemption = entry.preemption?.told(this.#isPlaced);
    const known = preemption === undefined ? facts : { ...facts, preemption };
    const said = details === undefined ? undefined : saidIn(details);
    if (said === undefined) return { ...known, isComplete: false, refused: [], scored: [] };
    return { ...known, isComplete: true, refused: explainRefusals(said), scored: explainScores(said) };
  }

  /** How many decisions are kept in detail. */
  get detailed(): number {
    return this.#detailed.size;
  }

  /** The pods whose decisions are kept, the oldest first. */
  pods(): readonly string[] {
    return [...this.#byPod.keys()];
  }

  /** Room that is being made for a pod outlives the decisions that follow, but goes with the pod. */
  #goOn(entry: Entry, before: Entry): void {
    const { preemption } = before;
    this.#setPreemption(before, undefined);
    if (preemption?.hasChosen !== true || before.facts.uid !== entry.facts.uid) return;
    const { node, at } = entry.facts;
    if (node !== undefined) preemption.note({ what: 'placed', node }, at);
    this.#setPreemption(entry, preemption);
  }

  #setPreemption(entry: Entry, preemption: PreemptionTale | undefined): void {
    this.#bytes += (preemption?.bytes ?? 0) - (entry.preemption?.bytes ?? 0);
    entry.preemption = preemption;
  }

  /** The oldest details, until the rest is within the bound; those of `latest` are kept. */
  #forgetMany(latest: Entry): void {
    for (const oldest of this.#detailed) {
      if (this.#bytes <= BYTES_MAX || oldest === latest) break;
      this.#forgetDetails(oldest);
      this.#setPreemption(oldest, undefined);
    }
  }

  #keep(evidence: Evidence): Details {
    const { history } = evidence;
    // Nodes that come and go make a new list with each decision.
    this.#point(evidence.nodes.names, evidence.nodes.names.length * NAME_BYTES);
    if (history === undefined) return this.#copy(evidence);
    const { nodes, table, verdict, columns, count, groups } = evidence;
    this.#point(history, history.bytes);
    const said = { names: nodes.names, table, verdict, slots: undefined, count, columns, history, mark: history.mark };
    if (groups === undefined) return { ...said, groups, bytes: 0 };
    this.#point(groups.history, groups.history.bytes);
    let bytes = groups.verdicts.byteLength;
    for (const { scores, isByGroup } of columns) if (isByGroup === true) bytes += scores.byteLength;
    this.#bytes += bytes;
    return { ...said, groups: { ...groups, mark: groups.history.mark }, bytes };
  }

  #point(at: SlotHistory | readonly string[], bytes: number): void {
    let use = this.#shared.get(at);
    if (use === undefined) this.#shared.set(at, (use = { pointing: 0, bytes: 0 }));
    this.#bytes += bytes - use.bytes;
    use.bytes = bytes;
    use.pointing++;
  }

  #copy(evidence: Evidence): Copied {
    const { nodes, table, slots, count } = evidence;
    const { end, names } = nodes;
    const laidAside = this.#spareVerdicts.pop();
    const verdicts = laidAside !== undefined && laidAside.length >= end ? laidAside : new Uint16Array(end);
    verdicts.set(evidence.verdict.subarray(0, end));
    const columns = evidence.columns.map(({ plugin, weight, scores, isBySlot = slots === undefined }) => {
      const length = isBySlot ? end : count;
      const spare = this.#spareScores.pop();
      const kept = spare !== undefined && spare.length >= length ? spare : new Float64Array(length);
      kept.set(scores.subarray(0, length));
      return { plugin, weight, scores: kept, isBySlot };
    });
    const places = slots === undefined ? undefined : this.#keepSlots(slots, count);
    const bytes =
      verdicts.byteLength + columns.reduce((sum, c) => sum + c.scores.byteLength, 0) + (places?.byteLength ?? 0);
    this.#bytes += bytes;
    return { names, table, verdict: verdicts, slots: places, count, columns, bytes };
  }

  #keepSlots(slots: Int32Array, count: number): Int32Array {
    const spare = this.#spareSlots.pop();
    const kept = spare !== undefined && spare.length >= count ? spare : new Int32Array(count);
    kept.set(slots.subarray(0, count));
    return kept;
  }

  #forgetDetails(entry: Entry): void {
    const { details } = entry;
    if (details === undefined) return;
    entry.details = undefined;
    this.#detailed.delete(entry);
    this.#release(details.names);
    this.#bytes -= details.bytes;
    if ('history' in details) {
      this.#release(details.history);
      if (details.groups !== undefined) this.#release(details.groups.history);
      return;
    }
    if (this.#spareVerdicts.length < SPARE_MAX) this.#spareVerdicts.push(details.verdict);
    if (details.slots !== undefined && this.#spareSlots.length < SPARE_MAX) this.#spareSlots.push(details.slots);
    for (const { scores } of details.columns) {
      if (this.#spareScores.length < SPARE_MAX) this.#spareScores.push(scores);
    }
  }

  #release(at: SlotHistory | readonly string[]): void {
    const use = this.#shared.get(at);
    if (use === undefined || --use.pointing > 0) return;
    this.#shared.delete(at);
    this.#bytes -= use.bytes;
  }

  #forgetOldest(): void {
    for (const [pod, entry] of this.#byPod) {
      this.#forgetDetails(entry);
      this.#setPreemption(entry, undefined);
      this.#byPod.delete(pod);
      break;
    }
  }
}

/** As it was when it was said; undefined: too much has changed since. */
function saidIn(details: Details): Said | undefined {
  if (!('history' in details)) return details;
  const { names, table, slots, count, columns, history, mark, groups } = details;
  const past = history.before(mark, names.length);
  const grouped = groups?.history.before(groups.mark, names.length);
  if (past === undefined || (groups !== undefined && grouped === undefined)) return undefined;
  const verdict = past.verdicts;
  const groupAt = grouped?.verdicts ?? new Uint16Array(0);
  if (groups !== undefined) {
    verdict.forEach((local, slot) => {
      if (local === PASSED) verdict[slot] = groups.verdicts[groupAt[slot] ?? 0] ?? PASSED;
    });
  }
  const then = columns.map((column, i) => {
    const { scores, isByGroup } = column;
    const bySlot =
      isByGroup === true ? Float64Array.from(groupAt, (group) => scores[group] ?? 0) : (past.raw[i] ?? scores);
    return { ...column, scores: bySlot };
  });
  return { names, table, verdict, slots, count, columns: then };
}

function explainRefusals({ names, verdict, table }: Said): ExplainedRefusal[] {
  const byNumber = new Map<number, string[]>();
  for (const [slot, name] of names.entries()) {
    const number = verdict[slot] ?? PASSED;
    if (number === PASSED || name === '') continue;
    const fallen = byNumber.get(number);
    if (fallen === undefined) byNumber.set(number, [name]);
    else fallen.push(name);
  }
  return [...byNumber].map(([number, fallen]) => {
    const { plugin = '', reasons = [] } = table[number] ?? {};
    return { plugin, reasons, nodes: fallen.length, names: fallen };
  });
}

function explainScores({ names, verdict, slots, count, columns }: Said): ExplainedScore[] {
  const scored: ExplainedScore[] = [];
  const add = (slot: number, place: number): void => {
    const by: Record<string, number> = {};
    let total = 0;
    for (const { plugin, weight, scores, isBySlot } of columns) {
      by[plugin] = (scores[isBySlot === true ? slot : place] ?? 0) * weight;
      total += by[plugin];
    }
    scored.push({ node: names[slot] ?? '', total, by });
  };
  if (slots !== undefined) slots.subarray(0, count).forEach(add);
  else {
    for (const [slot, name] of names.entries()) {
      if (name !== '' && verdict[slot] === PASSED) add(slot, slot);
    }
  }
  return scored.sort((a, b) => b.total - a.total);
}
