import type { Pod } from '@binnacle/api/core/v1';
import type { PodStatusInput } from './status.ts';
import type { PodWorld, Rejection } from './world.ts';

const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline';

/** How the node ends a pod for good. */
export interface PodEnd {
  readonly reason: string;
  readonly message: string;
  /** What it has for it, at the most. */
  readonly graceSeconds: number;
  /** The node itself tells of it. */
  readonly isSilent?: boolean;
  /** What its condition says of it; absent: the message. */
  readonly disruption?: string;
}

/** Why a pod ends on this node whatever its containers do: rejected, evicted, or past its deadline. */
export class EarlyEnd {
  readonly #world: PodWorld;
  #verdict: PodStatusInput['verdict'];
  #graceSeconds = Infinity;

  constructor(world: PodWorld) {
    this.#world = world;
  }

  /** What its status says of it; undefined: nothing ends it. */
  get verdict(): PodStatusInput['verdict'] {
    return this.#verdict;
  }

  /** What it has to end, at the most. */
  get graceSeconds(): number {
    return this.#graceSeconds;
  }

  reject(pod: Pod, rejection: Rejection): void {
    const { reason, message } = rejection;
    this.#verdict = { phase: 'Failed', reason, message: `Pod was rejected: ${message}`, isRejection: true };
    this.#world.events.pod(pod, 'Warning', rejection);
  }

  /** The node ends it. */
  end(pod: Pod, { reason, message, graceSeconds, isSilent = false, disruption = message }: PodEnd): void {
    this.#graceSeconds = graceSeconds;
    this.#verdict = { phase: 'Failed', reason, message, disruption };
    if (!isSilent) this.#world.events.pod(pod, 'Warning', { reason, message });
  }

  /** Looks at the clock. Answers the milliseconds that it has left; infinite where it has no deadline. */
  checkDeadline(pod: Pod, seenAtMs: number): number {
    const { spec, status } = pod;
    const deadline = spec.activeDeadlineSeconds;
    if (deadline === undefined) return Infinity;
    const began = status?.startTime === undefined ? seenAtMs : Date.parse(status.startTime);
    const left = began + deadline * 1000 - this.#world.clock.now();
    if (left > 0) return left;
    this.#verdict = { phase: 'Failed', reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE };
    this.#world.events.pod(pod, 'Normal', { reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE });
    return 0;
  }
}
