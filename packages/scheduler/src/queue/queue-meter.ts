import type { GaugeSink, SchedulerMeasures, Tally } from '@binnacle/base';
import type { QueuedPod } from '../plan/framework.ts';

/** What gauges of the queue are read from. */
export interface Waiting {
  readonly lengths: { readonly active: number; readonly backoff: number; readonly unschedulable: number };
  /** Of the unschedulable: those that no plugin lets in. */
  readonly gated: number;
  readonly pods: Iterable<QueuedPod>;
}

/** Keeps score of the pods that come to wait. */
export class QueueMeter {
  readonly #measures: SchedulerMeasures;
  readonly #tallies = new Map<string, Map<string, Tally>>();

  constructor(measures: SchedulerMeasures) {
    this.#measures = measures;
  }

  /** A pod came to a place; `event`: what brought it there, as upstream names it. */
  incoming(place: 'active' | 'backoff' | 'unschedulable', event: string): void {
    let byEvent = this.#tallies.get(place);
    if (byEvent === undefined) this.#tallies.set(place, (byEvent = new Map<string, Tally>()));
    let tally = byEvent.get(event);
    if (tally === undefined) {
      tally = this.#measures.tally('queue_incoming_pods_total', [place, event]);
      byEvent.set(event, tally);
    }
    tally.count++;
  }
}

/** What waits now, and who refused it last. */
export function tellWaiting({ lengths, gated, pods }: Waiting, tell: GaugeSink): void {
  tell('pending_pods', ['active'], lengths.active);
  tell('pending_pods', ['backoff'], lengths.backoff);
  tell('pending_pods', ['unschedulable'], lengths.unschedulable - gated);
  tell('pending_pods', ['gated'], gated);
  for (const { refusedBy, demand } of pods) {
    const profile = demand.pod.spec.schedulerName ?? 'default-scheduler';
    for (const plugin of refusedBy) tell('unschedulable_pods', [plugin, profile], 1);
  }
}
