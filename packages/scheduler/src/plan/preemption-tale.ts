import type { PodDemand } from './demand.ts';

/** A pod by its name. */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** A pod that would have to go. */
export interface ExplainedVictim extends PodName {
  readonly priority: number;
}

/** A node on which a pod would fit without its victims, with the figures by which candidates are compared. */
export interface ExplainedCandidate {
  readonly node: string;
  readonly victims: number;
  /** The first of them, the most important first. */
  readonly named: readonly ExplainedVictim[];
  /** How many of the victims a disruption budget protects. */
  readonly budgetViolations: number;
  /** Each counted from the lowest priority that there is, so that every victim adds to it. */
  readonly prioritySum: number;
  /** Of the victims, where there are any. */
  readonly highestPriority?: number;
  /** When the first of those started, milliseconds since the epoch. */
  readonly startedAtMs?: number;
}

/** By what one of several candidates is chosen; `first`: they are alike in all else. */
export type Criterion =
  | 'fewestBudgetViolations'
  | 'lowestHighestPriority'
  | 'lowestPrioritySum'
  | 'fewestVictims'
  | 'latestStart'
  | 'first';

/** A criterion that was looked at, and how many candidates were as good as the best by it. */
export interface ExplainedChoice {
  readonly by: Criterion;
  readonly left: number;
}

/** Nodes on which nothing could be gained, for one reason. */
export interface UnsuitableNodes {
  readonly reason: string;
  /** How many, and the first of them. */
  readonly nodes: number;
  readonly names: readonly string[];
}

/** What an extender left of the candidates. */
export interface ExplainedExtender {
  readonly name: string;
  readonly left: number;
  /** It gave no answer that could be used, and is passed over. */
  readonly failed: boolean;
}

/**
 * What became of it. `asked`, `ending`, `held`, `gone`: so many victims (`pods`) were asked to end, were ending already, were kept
 * from being bound, were gone already. `failed`: one (`pod`) could not be ended, so the nomination was taken back. `waits`: the pod was
 * tried again while a victim still ended. `withdrawn`: a more important one (`pod`) takes the room. `cleared`: somebody wrote another
 * node or none (`node`) into the pod's status. `nowhere`: a later try found no room to make. `placed`: it has its `node`.
 */
export type PreemptionEvent =
  | { readonly what: 'asked' | 'ending' | 'held' | 'gone'; readonly pods: number }
  | { readonly what: 'failed' | 'withdrawn'; readonly pod: PodName }
  | { readonly what: 'cleared' | 'placed'; readonly node: string }
  | { readonly what: 'waits' | 'nowhere' };

/** One of them, when it was so last (milliseconds since the epoch) and how many times in a row. */
export type PreemptionStep = PreemptionEvent & { readonly atMs: number; readonly times: number };

/** What preemption looked at for a pod that found no node, and what became of it. */
export interface ExplainedPreemption {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Why the pod may take no room from others; then no node was looked at. */
  readonly obstacle?: string;
  /** The most frequent reasons first. */
  readonly unsuitable: readonly UnsuitableNodes[];
  /** On how many nodes it was tried whether the pod would fit without others, and how many more were not tried, as there were candidates enough. */
  readonly tried: number;
  readonly untried: number;
  /** How many candidates were found; of these the first are in `listed`, the chosen one before all. */
  readonly candidates: number;
  readonly listed: readonly ExplainedCandidate[];
  readonly extenders: readonly ExplainedExtender[];
  readonly choice: readonly ExplainedChoice[];
  readonly chosen?: string;
  /** Of the chosen one's victims, how many are on their node still. */
  readonly victimsLeft: number;
  readonly steps: readonly PreemptionStep[];
}

/** What is known before anybody acts on it. */
export interface PreemptionFinding extends Partial<Omit<ExplainedPreemption, 'victimsLeft' | 'steps'>> {
  readonly atMs: number;
  /** Those of the chosen candidate. */
  readonly victims?: readonly PodDemand[];
}

/** So many candidates, victims of each, reasons and nodes of each are named; so many steps kept: the rest is counted. */
export const NAMED = { candidates: 8, victims: 4, reasons: 8, nodes: 4, extenders: 8, steps: 8 } as const;
const TEXT_MAX = 256;
/** What follows whether victims are there still knows of so many; no node runs more. */
const VICTIMS_MAX = 512;
/** What each letter, each step and all else take, in bytes, at the most. */
const TEXT_BYTES = 2;
const STEP_BYTES = 1_600;
const REST_BYTES = 1_024;

/** The story of one preemption: found once, while its steps are told as they come. Bounded in bytes. */
export class PreemptionTale {
  /** What it takes at the most, whatever becomes of it. */
  readonly bytes: number;
  readonly #found: Omit<ExplainedPreemption, 'victimsLeft' | 'steps'>;
  readonly #victims: readonly string[];
  #steps: PreemptionStep[] = [];

  constructor({ victims = [], atMs, ...finding }: PreemptionFinding) {
    const { obstacle, unsuitable = [], listed = [], extenders = [], chosen, choice = [] } = finding;
    this.#victims = victims.slice(0, VICTIMS_MAX).map(({ uid }) => uid);
    this.#found = {
      atMs,
      ...(obstacle === undefined ? {} : { obstacle: clipped(obstacle) }),
      unsuitable: unsuitable.slice(0, NAMED.reasons).map(({ reason, nodes, names }) => ({
        ...{ reason: clipped(reason), nodes, names: names.slice(0, NAMED.nodes) },
      })),
      ...{ tried: finding.tried ?? 0, untried: finding.untried ?? 0, candidates: finding.candidates ?? listed.length },
      listed: listed.slice(0, NAMED.candidates).map((one) => ({ ...one, named: one.named.slice(0, NAMED.victims) })),
      extenders: extenders.slice(0, NAMED.extenders).map((one) => ({ ...one, name: clipped(one.name) })),
      choice,
      ...(chosen === undefined ? {} : { chosen }),
    };
    this.bytes =
      REST_BYTES +
      NAMED.steps * STEP_BYTES +
      TEXT_BYTES * (JSON.stringify(this.#found).length + this.#victims.reduce((sum, uid) => sum + uid.length, 0));
  }

  /** Whether room is being made somewhere. */
  get hasChosen(): boolean {
    return this.#found.chosen !== undefined;
  }

  /** Whether no node was looked at, as the pod may take no room. */
  get isRefused(): boolean {
    return this.#found.obstacle !== undefined;
  }

  /** Something became of it; the oldest of too many steps is forgotten. */
  note(event: PreemptionEvent, atMs: number): void {
    const last = this.#steps.at(-1);
    const times = last !== undefined && isAgain(last, event) ? last.times + 1 : 1;
    if (times > 1) this.#steps.pop();
    this.#steps.push({ ...event, atMs, times });
    if (this.#steps.length > NAMED.steps) this.#steps.shift();
  }

  /** What became of an earlier one of the same pod is told first. */
  follow(earlier: PreemptionTale): void {
    this.#steps = [...earlier.#steps, ...this.#steps].slice(-NAMED.steps);
  }

  /** As it is now; `isPlaced` says of a pod's uid whether it is on a node still. */
  told(isPlaced: (uid: string) => boolean): ExplainedPreemption {
    return { ...this.#found, victimsLeft: this.#victims.filter(isPlaced).length, steps: [...this.#steps] };
  }
}

/** Whether the same happened once more; numbers of victims are told one by one. */
function isAgain(last: PreemptionStep, event: PreemptionEvent): boolean {
  if (last.what !== event.what) return false;
  return event.what === 'waits' || event.what === 'nowhere' || event.what === 'failed';
}

/** How a pod is named in a tale. */
export function podNameOf({ pod }: PodDemand): PodName {
  return { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name ?? '' };
}

/** Counts the nodes on which nothing can be gained, by reason. Refusals are shared by nodes: each is looked up by itself. */
export class UnsuitableTally {
  readonly #nameOf: (slot: number) => string;
  readonly #byReasons = new Map<readonly string[], { nodes: number; readonly names: string[] }>();

  constructor(nameOf: (slot: number) => string) {
    this.#nameOf = nameOf;
  }

  add(reasons: readonly string[], slot: number): void {
    let known = this.#byReasons.get(reasons);
    if (known === undefined) this.#byReasons.set(reasons, (known = { nodes: 0, names: [] }));
    known.nodes++;
    if (known.names.length < NAMED.nodes) known.names.push(this.#nameOf(slot));
  }

  /** How many nodes each reason has. */
  counts(): ReadonlyMap<string, number> {
    return new Map(this.#sums().map(({ reason, nodes }) => [reason, nodes]));
  }

  /** The most frequent reasons. */
  told(): UnsuitableNodes[] {
    return this.#sums()
      .sort((a, b) => b.nodes - a.nodes)
      .slice(0, NAMED.reasons);
  }

  #sums(): UnsuitableNodes[] {
    const sums = new Map<string, { readonly reason: string; nodes: number; readonly names: string[] }>();
    for (const [reasons, { nodes, names }] of this.#byReasons) {
      for (const reason of reasons) {
        const known = sums.get(reason) ?? { reason, nodes: 0, names: [] };
        known.nodes += nodes;
        known.names.push(...names.slice(0, NAMED.nodes - known.names.length));
        sums.set(reason, known);
      }
    }
    return [...sums.values()];
  }
}

function clipped(text: string): string {
  return text.slice(0, TEXT_MAX);
}
