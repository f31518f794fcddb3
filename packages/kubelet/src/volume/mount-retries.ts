import { Backoff } from '../backoff.ts';
import type { VolumeError } from '../errors.ts';

/** Upstream's: half a second after the first failure, then twice as long each time. */
const FIRST_MS = 500;
const LONGEST_MS = 122_000;

interface Failure {
  readonly error: VolumeError;
  /** By the monotonic clock. */
  readonly at: number;
}

/** When volumes that failed may be tried again, by pod and volume. */
export class MountRetries {
  readonly #backoff = new Backoff(FIRST_MS, LONGEST_MS);
  /** By the pod's UID, then the volume's name. */
  readonly #failures = new Map<string, Map<string, Failure>>();

  /** Milliseconds until it may be tried again; 0: now. */
  waits(podUid: string, volume: string, now: number): number {
    const failure = this.#failures.get(podUid)?.get(volume);
    return failure === undefined ? 0 : this.#backoff.remaining(keyOf(podUid, volume), failure.at, now);
  }

  /** Why it failed the last time; undefined: it did not. */
  last(podUid: string, volume: string): VolumeError | undefined {
    return this.#failures.get(podUid)?.get(volume)?.error;
  }

  /**
   * It was tried, and failed: whether people are to be told. Who tries before its time, as something was mended that was
   * not it, neither tells the same again nor makes it wait for longer.
   */
  failed(podUid: string, volume: string, of: { readonly error: VolumeError; readonly now: number }): boolean {
    const { error, now } = of;
    const key = keyOf(podUid, volume);
    const isEarly = this.waits(podUid, volume, now) > 0;
    const isNews = this.last(podUid, volume)?.message !== error.message;
    const ofPod = this.#failures.get(podUid) ?? new Map<string, Failure>();
    const at = isEarly ? (ofPod.get(volume)?.at ?? now) : now;
    if (!isEarly) this.#backoff.advance(key, now, now);
    this.#failures.set(podUid, ofPod.set(volume, { error, at }));
    return !isEarly || isNews;
  }

  mended(podUid: string, volume: string): void {
    const ofPod = this.#failures.get(podUid);
    if (ofPod?.delete(volume) !== true) return;
    this.#backoff.forget(keyOf(podUid, volume));
    if (ofPod.size === 0) this.#failures.delete(podUid);
  }

  /** The pod is gone. */
  forget(podUid: string): void {
    for (const volume of this.#failures.get(podUid)?.keys() ?? []) this.#backoff.forget(keyOf(podUid, volume));
    this.#failures.delete(podUid);
  }
}

function keyOf(podUid: string, volume: string): string {
  return `${podUid}/${volume}`;
}
