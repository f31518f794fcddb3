import { getPodCondition } from '@binnacle/api';
import type { Pod, Service } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';

interface Seen {
  readonly service: string | undefined;
  readonly pods: ReadonlyMap<string, string | undefined>;
}

/**
 * When what a sync publishes began to be true: the earliest of the changes since the sync before, for the annotation
 * `endpoints.kubernetes.io/last-change-trigger-time`. A pod's change is when its readiness last turned, a service's
 * is when it was made.
 */
export class ChangeTimes {
  readonly #seen = new Map<string, Seen>();

  /** RFC 3339; undefined when none of the times is new. */
  earliestChange(service: Service, pods: readonly Pod[]): string | undefined {
    const key = cacheKey(service);
    const before = this.#seen.get(key);
    const now = new Map<string, string | undefined>();
    let earliest: string | undefined;
    const consider = (time: string | undefined, last: string | undefined): void => {
      if (time === undefined || time === last) return;
      if (earliest === undefined || time < earliest) earliest = time;
    };
    for (const pod of pods) {
      const name = cacheKey(pod);
      const time = getPodCondition(pod, 'Ready')?.lastTransitionTime;
      now.set(name, time);
      consider(time, before?.pods.get(name));
    }
    const made = service.metadata.creationTimestamp;
    consider(made, before?.service);
    this.#seen.set(key, { service: made, pods: now });
    return earliest;
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
