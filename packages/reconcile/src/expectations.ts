import type { Clock } from '@binnacle/base';

interface Creation {
  /** What the server said that it made; undefined: it has not answered yet. */
  uid: string | undefined;
  /** What was seen of that name before the server's answer. */
  readonly seen: Set<string>;
}

interface Expected {
  /** By the names asked for: what is not seen yet. */
  readonly creations: Map<string, Creation>;
  /** UIDs deleted and not seen gone yet. */
  readonly deletions: Set<string>;
  atMs: number;
}

/** After this long the events are taken as lost and the cache is believed as it is. */
const TIMEOUT_MS = 5 * 60_000;

/**
 * What a controller did and has not seen in its cache yet, per key. As long as something is missing, the cache is
 * behind the controller's own deeds and must not be acted on. Deletions are known by UID, creations by name until the
 * server's answer has the UID, so a repeated or foreign event settles nothing that it should not: one of that name may have
 * come and gone while the request was under way.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expectCreation(key: string, name: string): void {
    this.#entry(key).creations.set(name, { uid: undefined, seen: new Set() });
  }

  expectDeletion(key: string, uid: string): void {
    this.#entry(key).deletions.add(uid);
  }

  /** The server has made it, or had it already: it is settled by this one alone. */
  madeCreation(key: string, name: string, uid: string): void {
    const creation = this.#byKey.get(key)?.creations.get(name);
    if (creation === undefined) return;
    if (creation.seen.has(uid)) this.#forgetCreation(key, name);
    else creation.uid = uid;
  }

  /** It will never be. */
  failedCreation(key: string, name: string): void {
    this.#forgetCreation(key, name);
  }

  /** One of that name is there, or was. */
  settleCreation(key: string, name: string, uid: string): void {
    const creation = this.#byKey.get(key)?.creations.get(name);
    if (creation === undefined) return;
    if (creation.uid === undefined) creation.seen.add(uid);
    else if (creation.uid === uid) this.#forgetCreation(key, name);
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

  #forgetCreation(key: string, name: string): void {
    this.#byKey.get(key)?.creations.delete(name);
  }

  #entry(key: string): Expected {
    let expected = this.#byKey.get(key);
    if (expected === undefined)
      this.#byKey.set(key, (expected = { creations: new Map(), deletions: new Set(), atMs: 0 }));
    expected.atMs = this.#clock.monotonic();
    return expected;
  }
}
