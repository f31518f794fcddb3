import { orAborted } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { PodPolicies } from '@binnacle/kubelet';
import type { RunningPolicies } from '@binnacle/proxy';
import { ClusterError } from '../errors.ts';

/** So long a pod waits for its policies before it is told, and asked for again. */
const WAIT_MS_MAX = 10_000;

type Policies = Pick<RunningPolicies, 'whenHeld' | 'released'>;

/** Between a kubelet and the policies of its node, whichever starts first. */
export class PolicyGate implements PodPolicies {
  readonly #clock: Clock;
  /** Who waits, each with its pod's uid. */
  readonly #waiting = new Set<{ readonly uid: string; readonly late: AbortController }>();
  readonly #policies = Promise.withResolvers<Policies | undefined>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Who holds pods back; undefined: nobody on this node. Only the first word counts. */
  open(policies: Policies | undefined): void {
    this.#policies.resolve(policies);
  }

  async whenHeld(pod: Pod, addresses: readonly string[]): Promise<void> {
    const late = new AbortController();
    const one = { uid: uidOf(pod), late };
    this.#waiting.add(one);
    const timer = this.#clock.after(WAIT_MS_MAX, () =>
      late.abort(new ClusterError('policies-late', `no answer within ${WAIT_MS_MAX / 1000} s`)),
    );
    const held = this.#policies.promise.then((policies) => policies?.whenHeld(pod, addresses, late.signal));
    try {
      await orAborted(held, late.signal);
    } finally {
      this.#waiting.delete(one);
      timer.cancel();
    }
  }

  released(pod: Pod): void {
    const uid = uidOf(pod);
    for (const { uid: waiting, late } of this.#waiting)
      if (waiting === uid) late.abort(new ClusterError('pod-ended', `pod ${pod.metadata.name ?? ''} has ended`));
    // Never rejects: it waits or is resolved. After what it asked for: an answer to that comes before this.
    void this.#policies.promise.then((policies) => policies?.released(pod));
  }
}

function uidOf({ metadata: { uid = '' } }: Pod): string {
  return uid;
}
