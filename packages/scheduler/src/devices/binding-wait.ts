import { orAborted } from '@binnacle/base';
import type { CallContext, Clock } from '@binnacle/base';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import { bindingDeadline, hasBindingConditions, isBindingHopeless, readinessOf } from './binding-conditions.ts';
import { ClaimError } from './errors.ts';
import { keyOf } from './pod-claims.ts';

export interface BindingWaitParts {
  readonly clock: Pick<Clock, 'after' | 'now'>;
  /** By `namespace/name`, as the cache has it. */
  readonly claimOf: (key: string) => ResourceClaim | undefined;
  readonly timeoutMs: number;
}

/** Pods that wait until their devices are ready for them. */
export class BindingWait {
  readonly #parts: BindingWaitParts;
  /** Who waits for each claim, by `namespace/name`. */
  readonly #looks = new Map<string, Set<() => void>>();

  constructor(parts: BindingWaitParts) {
    this.#parts = parts;
  }

  /** The claim has changed, or is gone. */
  look(claim: ResourceClaim): void {
    for (const look of this.#looks.get(keyOf(claim)) ?? []) look();
  }

  /** Whether there is anything to wait for. */
  concerns(claims: readonly ResourceClaim[]): boolean {
    return claims.some(hasBindingConditions);
  }

  /** Whether pods wait for the claim's devices in vain. */
  isHopeless(claim: ResourceClaim): boolean {
    return isBindingHopeless(claim, this.#parts.clock.now(), this.#parts.timeoutMs);
  }

  /**
   * Resolves when all devices of these claims are ready. The time that one has counts from its allocation, whoever made it: a
   * scheduler that takes over gives it no more. Throws ClaimError when one is not made ready, or is not the pod's any more.
   */
  async untilReady(written: readonly ResourceClaim[], { signal }: CallContext): Promise<void> {
    const awaited = written.filter(hasBindingConditions);
    if (awaited.length === 0) return;
    const { clock, timeoutMs } = this.#parts;
    const done = Promise.withResolvers<void>();
    const look = (): void => {
      const states = awaited.map((claim) => this.#readinessOf(claim));
      const failed = states.find((state) => typeof state === 'object');
      if (failed !== undefined) done.reject(new ClaimError(failed.failed));
      else if (states.every((state) => state === 'ready')) done.resolve();
    };
    const until = Math.min(...awaited.map((claim) => bindingDeadline(claim, timeoutMs) ?? clock.now() + timeoutMs));
    const giveUp = clock.after(Math.max(0, until - clock.now()), () => {
      const late = awaited.find((claim) => this.#readinessOf(claim) === 'waiting') ?? awaited[0];
      done.reject(new ClaimError(`device binding timeout: claim=${late?.metadata.name ?? ''}`));
    });
    const keys = awaited.map(keyOf);
    for (const key of keys) this.#looks.set(key, (this.#looks.get(key) ?? new Set()).add(look));
    look();
    try {
      await (signal === undefined ? done.promise : orAborted(done.promise, signal));
    } finally {
      giveUp.cancel();
      for (const key of keys) this.#stopLooking(key, look);
    }
  }

  #stopLooking(key: string, look: () => void): void {
    const looks = this.#looks.get(key);
    looks?.delete(look);
    if (looks?.size === 0) this.#looks.delete(key);
  }

  #readinessOf(written: ResourceClaim): ReturnType<typeof readinessOf> {
    const { uid, resourceVersion } = written.metadata;
    const known = this.#parts.claimOf(keyOf(written));
    if (known === undefined || known.metadata.uid !== uid) {
      return { failed: `claim ${keyOf(written)} got deleted in the meantime` };
    }
    // The cache may not have heard yet of what was written.
    const isOlder = Number(known.metadata.resourceVersion ?? 0) < Number(resourceVersion ?? 0);
    const claim = isOlder ? written : known;
    if (claim.status?.allocation === undefined) {
      return { failed: `claim ${keyOf(written)} got deallocated elsewhere in the meantime` };
    }
    return readinessOf(claim);
  }
}
