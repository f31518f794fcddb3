import { BestSlots } from './best-slots.ts';
import type { Candidates, NodeScore, NodeTest } from './framework.ts';
import type { PodDemand } from './demand.ts';
import { Grouping } from './grouping.ts';
import type { PluginSet, Scorer } from './plugin-set.ts';
import { SlotHistory } from './slot-history.ts';
import type { Snapshot } from './snapshot.ts';
import type { LeftRoom } from './trial.ts';
import { PASSED } from './verdicts.ts';
import type { Verdicts } from './verdicts.ts';

/** Shapes whose results are kept; the one unused for longest goes first. */
const SHAPES_KEPT = 32;
/** A local plugin answers for each node by itself. */
const NO_CANDIDATES: Candidates = { slots: new Int32Array(0), count: 0 };

/** What one local plugin says of all nodes, raw. */
export interface LocalScore {
  readonly scorer: Scorer;
  /** By slot; meaningful where the verdict is `PASSED`. */
  readonly raw: Float64Array;
}

/** What the local plugins say of all nodes about pods of one shape. */
export interface LocalResults {
  /** By slot: `PASSED`, or the number of the refusal. */
  readonly verdicts: Uint16Array;
  /** By slot: the weighted sum of the scores that need no scaling; -Infinity where refused or where no node is. */
  readonly totals: Float64Array;
  /** The best of the totals. */
  readonly best: BestSlots;
  readonly scores: readonly LocalScore[];
  /** What was said before; absent: it is not kept. */
  readonly history?: SlotHistory;
  /** The nodes by what others look at beyond these; absent: it is not kept. */
  readonly grouping?: Grouping;
  /** Where pods wait for room, and what they leave has to be asked each time. */
  readonly unsure?: ReadonlySet<number>;
}

interface Kept extends LocalResults {
  version: number;
  readonly generation: number;
  /** Whose scores they are. */
  readonly scorers: string;
  readonly history: SlotHistory;
  readonly unsure: Set<number>;
}

/** The question: who asks about which pod. */
export interface ShapeQuestion {
  readonly plugins: PluginSet;
  readonly demand: PodDemand;
  readonly snapshot: Snapshot;
  readonly verdicts: Verdicts;
  /** What pods that wait for room leave of a node, where they are to be counted in. */
  readonly left?: ((slot: number, localTests: readonly NodeTest[]) => LeftRoom) | undefined;
}

interface Asked {
  readonly tests: readonly NodeTest[];
  readonly scorers: readonly { readonly scorer: Scorer; readonly score: NodeScore }[];
  /** Of the scorers' plugins. */
  readonly names: string;
}

/**
 * Results of local plugins per shape of pod. Binding a pod changes one node, so for the next pod of that shape one node
 * is looked at again instead of asking every plugin about every node. The decisions are the same (property test).
 */
export class LocalResultsCache {
  readonly #byShape = new Map<string, Kept>();
  #few: (LocalResults & { readonly scorers: string }) | undefined;

  /** Up to date with the snapshot. Valid until the next call. */
  resultsFor(question: ShapeQuestion): LocalResults {
    const { snapshot, verdicts, demand, plugins } = question;
    const { nodes } = snapshot;
    const asked = ask(question);
    // Who waits comes before those who are less important, and before nobody else.
    const heeds = question.left === undefined ? '' : `${demand.priority}`;
    const key = `${plugins.schedulerName}|${heeds}|${keyBeside(plugins, demand)}|${demand.shape}`;
    const known = this.#take(key, question, asked);
    if (known !== undefined) {
      const changed: number[] = [];
      if (nodes.changedSince(known.version, (slot) => void changed.push(slot))) {
        for (const slot of changed) {
          known.history.note(slot);
          lookAt(slot, { kept: known, unsure: known.unsure, asked, question });
        }
        known.version = nodes.version;
        return known;
      }
    }
    // In columns of their own: what decisions saw in those that were there stays known.
    const kept = withHistory(emptyResults(nodes.end * 2, asked));
    const { unsure } = kept;
    for (let slot = 0; slot < nodes.end; slot++) lookAt(slot, { kept, unsure, asked, question });
    return this.#keep(key, { ...kept, version: nodes.version, generation: verdicts.generation, scorers: asked.names });
  }

  /** Of a few nodes only, worked out here and now: what the others say is not asked. Valid until the next call. */
  resultsAt(question: ShapeQuestion, slots: Iterable<number>): LocalResults {
    const { nodes } = question.snapshot;
    const asked = ask(question);
    const isUsable =
      this.#few !== undefined && this.#few.totals.length >= nodes.end && this.#few.scorers === asked.names;
    const kept =
      this.#few !== undefined && isUsable ? this.#few : { ...emptyResults(nodes.end * 2, asked), scorers: asked.names };
    this.#few = kept;
    for (const slot of slots) lookAt(slot, { kept, asked, question });
    return kept;
  }

  /** What is kept of the shape, as the one used last; undefined: nothing that fits. */
  #take(key: string, { snapshot, verdicts }: ShapeQuestion, asked: Asked): Kept | undefined {
    const kept = this.#byShape.get(key);
    if (kept === undefined) return undefined;
    this.#byShape.delete(key);
    const isUsable =
      kept.totals.length >= snapshot.nodes.end &&
      kept.scorers === asked.names &&
      kept.generation === verdicts.generation;
    if (!isUsable) return undefined;
    this.#byShape.set(key, kept);
    return kept;
  }

  #keep(key: string, kept: Kept): Kept {
    this.#byShape.set(key, kept);
    if (this.#byShape.size > SHAPES_KEPT) {
      const oldest = this.#byShape.keys().next().value;
      if (oldest !== undefined) this.#byShape.delete(oldest);
    }
    return kept;
  }
}

function emptyResults(size: number, { scorers }: Asked): LocalResults {
  return {
    verdicts: new Uint16Array(size),
    totals: new Float64Array(size).fill(-Infinity),
    best: new BestSlots(size),
    scores: scorers.map(({ scorer }) => ({ scorer, raw: new Float64Array(size) })),
  };
}

function withHistory(results: LocalResults): LocalResults & Pick<Kept, 'history' | 'unsure'> {
  return { ...results, history: new SlotHistory(results), grouping: new Grouping(), unsure: new Set() };
}

function ask({ plugins, demand, snapshot }: ShapeQuestion): Asked {
  const tests: NodeTest[] = [];
  for (const plugin of plugins.filter) {
    if (plugin.isLocal !== true) continue;
    const test = plugin.filter?.(demand, snapshot);
    if (test !== undefined) tests.push(test);
  }
  const scorers: { scorer: Scorer; score: NodeScore }[] = [];
  let names = '';
  for (const scorer of plugins.score) {
    if (scorer.plugin.isLocal !== true) continue;
    const score = scorer.plugin.score?.(demand, snapshot, NO_CANDIDATES);
    if (score === undefined) continue;
    scorers.push({ scorer, score });
    names += `${scorer.plugin.name},`;
  }
  return { tests, scorers, names };
}

interface Look {
  readonly kept: LocalResults;
  /** Of what is kept; absent: nobody keeps it. */
  readonly unsure?: Set<number>;
  readonly asked: Asked;
  readonly question: ShapeQuestion;
}

function lookAt(slot: number, { kept, unsure, asked, question }: Look): void {
  const { snapshot, verdicts, left } = question;
  kept.best.touch(slot);
  kept.totals[slot] = -Infinity;
  kept.verdicts[slot] = PASSED;
  if (snapshot.nodes.nodes[slot] === undefined) return;
  const { tests, scorers } = asked;
  for (let t = 0; t < tests.length; t++) {
    const refusal = tests[t]!(slot);
    if (refusal === undefined) continue;
    kept.verdicts[slot] = verdicts.idOf(refusal);
    return;
  }
  if (left !== undefined) {
    const { refusal, isUnsure = false } = left(slot, tests);
    if (isUnsure) unsure?.add(slot);
    else unsure?.delete(slot);
    if (refusal !== undefined) {
      kept.verdicts[slot] = verdicts.idOf(refusal);
      return;
    }
  }
  let total = 0;
  for (let i = 0; i < scorers.length; i++) {
    const { scorer, score } = scorers[i]!;
    const raw = score(slot);
    if (scorer.plugin.normalizeScore !== undefined) kept.scores[i]!.raw[slot] = raw;
    else {
      // What is left out gets 0, here as by those that scale.
      const given = Number.isNaN(raw) ? 0 : raw;
      kept.scores[i]!.raw[slot] = given;
      total += given * scorer.weight;
    }
  }
  kept.totals[slot] = total;
}

/** What local plugins look at besides node and shape, each with its length: no two run into each other. */
function keyBeside({ byName }: PluginSet, demand: PodDemand): string {
  let key = '';
  for (const plugin of byName.values()) {
    const text = plugin.isLocal === true ? plugin.localKey?.(demand) : undefined;
    if (text !== undefined) key += `${text.length} ${text}`;
  }
  return key;
}
