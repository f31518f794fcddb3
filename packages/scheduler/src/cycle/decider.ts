import { assert } from '@binnacle/base';
import type { Random, Trace } from '@binnacle/base';
import type { ClusterState } from '../plan/cluster-state.ts';
import { choose, decide } from '../plan/decide.ts';
import type { Decision, DecisionInput, Narrowed } from '../plan/decide.ts';
import type { PodDemand } from '../plan/demand.ts';
import { ExplanationLog } from '../plan/explanation.ts';
import type { Explanation, LaterFacts } from '../plan/explanation.ts';
import type { Extender } from '../plan/extender.ts';
import type { MaybePromise } from '../plan/framework.ts';
import type { PluginSet } from '../plan/plugin-set.ts';
import { codeOf } from '../plan/profile-meter.ts';
import type { PreemptionEvent } from '../plan/preemption-tale.ts';
import { Scratch } from '../plan/scratch.ts';
import { fitsNow } from '../plan/trial.ts';
import { DecisionTale } from './decision-tale.ts';
import { askFilters, askPriorities } from './ask-extenders.ts';
import { Nominations } from './nominations.ts';
import { runPreFilters } from './pre-filter.ts';

/** The cluster changed while somebody was asked: to be decided again. */
export interface Outdated {
  readonly kind: 'outdated';
}

const EXPLANATIONS_KEPT = 1_000;

export interface DeciderOptions {
  readonly state: ClusterState;
  readonly random: Random;
  readonly extenders: readonly Extender[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly trace: Trace;
  /** Nobody is waited for after it. */
  readonly signal: AbortSignal;
  /** A pod waits for its node no longer, as a more important one is to have the room. */
  readonly withdrawn: (demand: PodDemand) => void;
}

/** Decides one pod after the other, and remembers why. */
export class Decider {
  /** Tells the trace of what was decided. */
  readonly tale: DecisionTale;
  readonly nominations: Nominations;
  readonly #options: DeciderOptions;
  readonly #scratch = new Scratch();
  readonly #explanations: ExplanationLog;

  constructor(options: DeciderOptions) {
    this.#options = options;
    this.#explanations = new ExplanationLog(EXPLANATIONS_KEPT, (uid) => options.state.isBooked(uid));
    this.tale = new DecisionTale(options.trace, this);
    const { state, withdrawn } = options;
    this.nominations = new Nominations({ state, withdrawn, note: (demand, event) => this.#note(demand, event) });
  }

  /** No other pod may be decided before a promise is settled. */
  decide(plugins: PluginSet, demand: PodDemand): MaybePromise<Decision | Outdated> {
    const { state, random } = this.#options;
    const input: DecisionInput = { plugins, demand, state, random, scratch: this.#scratch };
    const narrowed = runPreFilters({ plugins, demand, snapshot: state });
    if (narrowed instanceof Promise) return narrowed.then((n) => this.#decideAmong(input, n));
    return this.#decideAmong(input, narrowed);
  }

  /** See SchedulerHandle. */
  explain(pod: string): Explanation | undefined {
    return this.#explanations.get(pod);
  }

  /** What became known after the decision. */
  amend(pod: string, facts: LaterFacts): void {
    this.#explanations.amend(pod, facts);
  }

  /** What became of the room that is being made for a pod. */
  #note({ key, uid }: PodDemand, event: PreemptionEvent): void {
    this.#explanations.note({ pod: key, uid, at: this.#options.now() }, event);
  }

  #decideAmong(input: DecisionInput, narrowed: Narrowed): MaybePromise<Decision | Outdated> {
    input.plugins.meter?.lap('PreFilter', codeOf(narrowed.refusal));
    const extenders = this.#options.extenders.filter((e) => e.isInterested(input.demand));
    if (extenders.length > 0) return this.#decideWith(extenders, input, narrowed);
    const decision = decide(input, narrowed);
    assert(decision.kind !== 'sifted', 'nobody else is asked');
    if (narrowed.refusal === undefined) input.plugins.meter?.lap('Filter', 'Success');
    return this.#remember(input.demand, decision);
  }

  /** Others are asked while the cluster goes on: what they chose is looked at once more at the end. */
  async #decideWith(
    extenders: readonly Extender[],
    input: DecisionInput,
    narrowed: Narrowed,
  ): Promise<Decision | Outdated> {
    const { state, demand } = input;
    const asking = { ...input, context: { signal: this.#options.signal } };
    const sifted = decide(input, narrowed, true);
    if (sifted.kind !== 'sifted') return this.#remember(demand, sifted);
    const count = await askFilters(asking, extenders, sifted.count);
    const columns = sifted.rank(count);
    columns.push(...(await askPriorities(asking, extenders, count)));
    const decision = choose(input, count, columns);
    input.plugins.meter?.lap('Filter', 'Success');
    this.#remember(demand, decision);
    if (decision.kind !== 'placed') return decision;
    const isThere = state.nodes.slotOf(decision.node) === decision.slot;
    return isThere && fitsNow(input, decision.slot) === undefined ? decision : { kind: 'outdated' };
  }

  #remember(demand: PodDemand, decision: Decision): Decision {
    const about = { pod: demand.key, uid: demand.uid, at: this.#options.now() };
    if (decision.kind === 'placed') this.#explanations.put({ ...about, node: decision.node }, decision.evidence);
    if (decision.kind === 'unplaced') {
      this.#explanations.put({ ...about, message: decision.message }, decision.evidence);
    }
    return decision;
  }
}
