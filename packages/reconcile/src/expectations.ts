import type { Clock } from '@binnacle/base';

interface Expected {
  /** Names asked for and not seen yet. */
  readonly creations: Set<string>;
  /** UIDs deleted and not seen gone yet. */
  readonly deletions: Set<string>;
  atMs: number;
}

/** After this long the events are taken as lost and the cache is believed as it is. */
const TIMEOUT_MS = 5 * 60_000;

/**
 * What a controller did and has not seen in its cache yet, per key. As long as something is missing, the cache is
 * behind the controller's own deeds and must not be acted on. Creations are known by name and deletions by UID, so
 * a repeated or foreign event settles nothing that it should not.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expectCreation(key: string, name: string): void {
    this.#entry(key).creations.add(name);
  }

  expectDeletion(key: string, uid: string): void {
    this.#entry(key).deletions.add(uid);
  }

  /** It is there, or it will never be. */
  settleCreation(key: string, name: string): void {
    this.#byKey.get(key)?.creations.delete(name);
  }

  /** It is gone (or going), or the deletion failed. */
  settleDeletion(key: string, uid: string): void {
    this.#byKey.get(key)?.deletions.delete(uid);
  }

  /** Whether the cache has caught up. */
  isSatisfied(key: string): boolean {
    return this.remainingMs(key) === 0;
  }

  /** How long until the expectations are given up; 0 when there are none. */
  remainingMs(key: string): number {
    const expected = this.#byKey.get(key);
    if (expected === undefined) return 0;
    const remaining = expected.atMs + TIMEOUT_MS - this.#clock.monotonic();
    const open = expected.creations.size + expected.deletions.size > 0;
    if (open && remaining > 0) return remaining;
    this.#byKey.delete(key);
    return 0;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  #entry(key: string): Expected {
    let expected = this.#byKey.get(key);
    if (expected === undefined)
      this.#byKey.set(key, (expected = { creations: new Set(), deletions: new Set(), atMs: 0 }));
    expected.atMs = this.#clock.monotonic();
    return expected;
  }
}
