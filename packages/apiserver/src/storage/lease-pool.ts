import type { Clock } from '@binnacle/base';
import type { Store } from '@binnacle/store';

interface Shared {
  readonly id: Promise<number>;
  readonly until: number;
  uses: number;
}

/** Objects that expire share leases: one for so many objects, or for so long, whichever ends first. */
const USES_MAX = 1000;
const REUSE_MS = 60_000;

/** Store leases for objects that go away by themselves (Events, an hour). */
export class LeasePool {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #byTtl = new Map<number, Shared>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A lease that lives at least `ttlSeconds` from now. */
  take(ttlSeconds: number): Promise<number> {
    const now = this.#clock.monotonic();
    const known = this.#byTtl.get(ttlSeconds);
    if (known !== undefined && known.until > now && known.uses < USES_MAX) {
      known.uses++;
      return known.id;
    }
    // Longer by the time in which others may join.
    const id = this.#store.grantLease(ttlSeconds + REUSE_MS / 1000).then((granted) => granted.id);
    const shared: Shared = { id, until: now + REUSE_MS, uses: 1 };
    this.#byTtl.set(ttlSeconds, shared);
    id.catch(() => {
      if (this.#byTtl.get(ttlSeconds) === shared) this.#byTtl.delete(ttlSeconds);
    });
    return id;
  }
}
