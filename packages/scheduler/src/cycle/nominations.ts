import type { ClusterState } from '../plan/cluster-state.ts';
import type { PodDemand } from '../plan/demand.ts';
import { podNameOf } from '../plan/preemption-tale.ts';
import type { PreemptionEvent } from '../plan/preemption-tale.ts';

/** Where nominations are kept, and who remembers what became of them. */
export interface NominationsOptions {
  readonly state: Pick<ClusterState, 'nominate' | 'nominationOf' | 'withdrawNominations'>;
  readonly note: (demand: PodDemand, event: PreemptionEvent) => void;
  /** A pod waits for its node no longer, as a more important one is to have the room. */
  readonly withdrawn: (demand: PodDemand) => void;
}

/** Which pods wait for room on which node; how a wait ends is told to whoever asks why. */
export class Nominations {
  readonly #state: NominationsOptions['state'];
  readonly #note: NominationsOptions['note'];
  readonly #withdrawn: NominationsOptions['withdrawn'];

  constructor({ state, note, withdrawn }: NominationsOptions) {
    this.#state = state;
    this.#note = note;
    this.#withdrawn = withdrawn;
  }

  /** What PostFilter found; the empty name takes an earlier nomination back, absence leaves it. */
  found(demand: PodDemand, node: string | undefined): void {
    if (node === undefined) return;
    if (node === '' && this.#state.nominationOf(demand.uid) !== undefined) this.#note(demand, { what: 'nowhere' });
    this.#state.nominate(demand, node);
  }

  /** What the pod's status says by now: what was decided here, or what somebody else wrote. */
  seen(demand: PodDemand, node: string): void {
    const known = this.#state.nominationOf(demand.uid);
    if (known !== undefined && known !== node) this.#note(demand, { what: 'cleared', node });
    this.#state.nominate(demand, node);
  }

  /** Pods less important than the one that takes the room wait for the node no longer; returns their keys. */
  withdraw(node: string, taker: PodDemand): readonly string[] {
    const withdrawn = this.#state.withdrawNominations(node, taker.priority);
    for (const demand of withdrawn) {
      this.#note(demand, { what: 'withdrawn', pod: podNameOf(taker) });
      this.#withdrawn(demand);
    }
    return withdrawn.map(({ key }) => key);
  }
}
