import type { SchedulerMeasures, Spread, Tally } from '@binnacle/base';
import type { QueuedPod } from '../plan/framework.ts';

/** More tries than these are told together. */
const ATTEMPTS_TOLD = 15;

/** Keeps score of what becomes of pods, whatever their profile. */
export class PodMeter {
  readonly #measures: SchedulerMeasures;
  /** By the tries that it took. */
  readonly #took: (Spread | undefined)[] = [];
  readonly #attempts: Spread;
  readonly #incoming = new Map<string, Map<string, Tally>>();

  constructor(measures: SchedulerMeasures) {
    this.#measures = measures;
    this.#attempts = measures.spread('pod_scheduling_attempts', []);
  }

  /** `now`: of the clock by which the pod came in. */
  bound({ attempts, entered, since, wasFlushed }: QueuedPod, now: number): void {
    this.#attempts.observe(attempts);
    const place = Math.min(attempts, ATTEMPTS_TOLD);
    let took = this.#took[place];
    if (took === undefined) {
      const label = place === ATTEMPTS_TOLD ? `${ATTEMPTS_TOLD}+` : String(place);
      this.#took[place] = took = this.#measures.spread('pod_scheduling_sli_duration_seconds', [label]);
    }
    took.observe((now - (entered ?? since)) / 1_000);
    if (wasFlushed === true) this.#measures.tally('pod_scheduled_after_flush_total', []).count++;
  }

  /** A pod came into a queue. */
  incoming(queue: string, event: string): void {
    let byEvent = this.#incoming.get(queue);
    if (byEvent === undefined) this.#incoming.set(queue, (byEvent = new Map<string, Tally>()));
    let tally = byEvent.get(event);
    if (tally === undefined) {
      tally = this.#measures.tally('queue_incoming_pods_total', [queue, event]);
      byEvent.set(event, tally);
    }
    tally.count++;
  }
}
