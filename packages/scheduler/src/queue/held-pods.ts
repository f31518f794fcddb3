import type { Clock, Timer } from '@binnacle/base';
import type { PodDemand } from '../plan/demand.ts';

export interface HeldPodsOptions {
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  /** A pod that is held back so long is told why, milliseconds. */
  readonly patienceMs: number;
  readonly tell: (demand: PodDemand) => void;
}

interface Held {
  readonly demand: PodDemand;
  readonly until: number;
}

/**
 * Pods that are not let into the queue yet. Most get at once what they lack, a claim that is made for them: to write into the
 * status of each that it waits would be a write per pod which nobody reads. Bounded by the pods that wait.
 */
export class HeldPods {
  readonly #options: HeldPodsOptions;
  /** By uid, in the order of their time: all have the same patience. */
  readonly #held = new Map<string, Held>();
  #timer: Timer | undefined;

  constructor(options: HeldPodsOptions) {
    this.#options = options;
  }

  /** Held back once more it is told no later. */
  hold(demand: PodDemand): void {
    const { clock, patienceMs } = this.#options;
    const known = this.#held.get(demand.uid);
    // A key that is set again keeps its place.
    this.#held.set(demand.uid, { demand, until: known?.until ?? clock.monotonic() + patienceMs });
    this.#arm();
  }

  /** Let in, or gone. */
  release(uid: string): void {
    this.#held.delete(uid);
  }

  close(): void {
    this.#timer?.cancel();
    this.#held.clear();
  }

  #arm(): void {
    if (this.#timer !== undefined) return;
    const { clock } = this.#options;
    for (const { until } of this.#held.values()) {
      this.#timer = clock.after(Math.max(0, until - clock.monotonic()), () => this.#due(), { background: true });
      return;
    }
  }

  #due(): void {
    this.#timer = undefined;
    const now = this.#options.clock.monotonic();
    for (const [uid, { demand, until }] of this.#held) {
      if (until > now) break;
      this.#held.delete(uid);
      this.#options.tell(demand);
    }
    this.#arm();
  }
}
