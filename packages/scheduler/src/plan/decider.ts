import type { Random } from '@binnacle/base';
import type { MaybePromise } from '../framework.ts';
import type { ClusterState } from './cluster-state.ts';
import { decide } from './decide.ts';
import type { Decision } from './decide.ts';
import type { PodDemand } from './demand.ts';
import { ExplanationLog } from './explanation.ts';
import type { DecisionFacts, Explanation } from './explanation.ts';
import type { Extender } from './extender.ts';
import type { PluginSet } from './plugin-set.ts';
import { Scratch } from './scratch.ts';

const EXPLANATIONS_KEPT = 1_000;

export interface DeciderOptions {
  readonly state: ClusterState;
  readonly random: Random;
  readonly extenders: readonly Extender[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Decides one pod after the other, and remembers why. */
export class Decider {
  readonly #options: DeciderOptions;
  readonly #scratch = new Scratch();
  readonly #explanations = new ExplanationLog(EXPLANATIONS_KEPT);

  constructor(options: DeciderOptions) {
    this.#options = options;
  }

  /** No other pod may be decided before a promise is settled. */
  decide(plugins: PluginSet, demand: PodDemand): MaybePromise<Decision> {
    const { state, random, extenders } = this.#options;
    const decision = decide({ plugins, demand, state, random, scratch: this.#scratch, extenders });
    if (decision instanceof Promise) return decision.then((d) => this.#remember(demand, d));
    return this.#remember(demand, decision);
  }

  /** See SchedulerHandle. */
  explain(pod: string): Explanation | undefined {
    return this.#explanations.get(pod);
  }

  /** What became known after the decision. */
  amend(pod: string, facts: Pick<DecisionFacts, 'message' | 'nominatedNode'>): void {
    this.#explanations.amend(pod, facts);
  }

  #remember(demand: PodDemand, decision: Decision): Decision {
    const about = { pod: demand.key, at: this.#options.now() };
    if (decision.kind === 'placed') this.#explanations.put({ ...about, node: decision.node }, decision.evidence);
    if (decision.kind === 'unplaced') {
      this.#explanations.put({ ...about, message: decision.message }, decision.evidence);
    }
    return decision;
  }
}
