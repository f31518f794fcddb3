import { orAborted } from '@binnacle/base';
import type { CallContext, Clock, DeviceMeasures, DeviceWait } from '@binnacle/base';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import { bindingDeadline, hasBindingConditions, isBindingHopeless, readinessOf } from './binding-conditions.ts';
import type { Readiness } from './binding-conditions.ts';
import { ClaimError, DeviceFailedError, DeviceTimeoutError } from './errors.ts';
import { keyOf } from './pod-claims.ts';

export interface BindingWaitParts {
  readonly clock: Pick<Clock, 'after' | 'monotonic' | 'now'>;
  /** Who asks. */
  readonly profile: string;
  /** Absent: nobody keeps score. */
  readonly measures?: DeviceMeasures | undefined;
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
  async untilReady(written: readonly ResourceClaim[], context: CallContext): Promise<void> {
    const { clock, measures, profile } = this.#parts;
    const began = clock.monotonic();
    let status: DeviceWait['status'] = 'success';
    try {
      await this.#wait(written, context);
    } catch (error) {
      status = statusOf(error);
      throw error;
    } finally {
      const seconds = (clock.monotonic() - began) / 1_000;
      if (context.signal?.aborted !== true) {
        measures?.ended({ profile, status, seconds, devices: written.flatMap(devicesOf) });
      }
    }
  }

  async #wait(written: readonly ResourceClaim[], { signal }: CallContext): Promise<void> {
    const awaited = written.filter(hasBindingConditions);
    const { clock, timeoutMs } = this.#parts;
    const done = Promise.withResolvers<void>();
    const look = (): void => {
      const states: Readiness[] = [];
      for (const claim of awaited) {
        const newest = this.#newest(claim);
        if (typeof newest === 'string') return done.reject(new ClaimError(newest));
        states.push(readinessOf(newest));
      }
      const failed = states.find((state) => typeof state === 'object');
      if (failed !== undefined) done.reject(new DeviceFailedError(failed.failed));
      else if (states.every((state) => state === 'ready')) done.resolve();
    };
    const until = Math.min(...awaited.map((claim) => bindingDeadline(claim, timeoutMs) ?? clock.now() + timeoutMs));
    const giveUp = clock.after(Math.max(0, until - clock.now()), () => {
      const isLate = (claim: ResourceClaim | string): boolean =>
        typeof claim !== 'string' && readinessOf(claim) === 'waiting';
      const late = awaited.find((claim) => isLate(this.#newest(claim))) ?? awaited[0];
      done.reject(new DeviceTimeoutError(`device binding timeout: claim=${late?.metadata.name ?? ''}`));
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

  /** The claim as it is by now; in words, why it is not the pod's any more or has no devices. */
  #newest(written: ResourceClaim): ResourceClaim | string {
    const known = this.#parts.claimOf(keyOf(written));
    if (known === undefined || known.metadata.uid !== written.metadata.uid) {
      return `claim ${keyOf(written)} got deleted in the meantime`;
    }
    // The cache may not have heard yet of what was written.
    const isOlder = Number(known.metadata.resourceVersion ?? 0) < Number(written.metadata.resourceVersion ?? 0);
    const claim = isOlder ? written : known;
    return claim.status?.allocation === undefined
      ? `claim ${keyOf(written)} got deallocated elsewhere in the meantime`
      : claim;
  }
}

function statusOf(error: unknown): DeviceWait['status'] {
  if (error instanceof DeviceTimeoutError) return 'timeout';
  return error instanceof DeviceFailedError ? 'failure' : 'error';
}

function devicesOf({ status }: ResourceClaim): DeviceWait['devices'] {
  return (status?.allocation?.devices?.results ?? []).map(({ driver, bindingConditions = [] }) => ({
    driver,
    awaited: bindingConditions.length > 0,
  }));
}
