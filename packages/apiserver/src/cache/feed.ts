import { messageOf } from '@binnacle/base';
import type { Clock, Logger, Timer } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';
import { CompactedError, prefixEnd, StoreClosedError } from '@binnacle/store';
import type { Store, StoreEvent, WatchHandle } from '@binnacle/store';
import { REGISTRY } from '../storage/keys.ts';
import type { WatchCache } from './watch-cache.ts';

const RESTART_DELAY_MS = 1000;
const FRESH_TIMEOUT_MS = 3000;
const PROOF_DELAY_MS = 50;
const PROOF_KEY = `${REGISTRY}binnacle.dev/progress`;

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
  readonly timer: Timer;
}

/**
 * The one watch of the store under `/registry/`, which feeds every cache. Because it is one, `revision` holds for
 * all caches alike: everything up to it is in them.
 */
export class Feed {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #caches = new Map<string, WatchCache>();
  readonly #waiters = new Set<Waiter>();
  #handle: WatchHandle | undefined;
  #revision = 0;
  #stopped = false;
  #started: (() => void) | undefined;

  constructor(options: { store: Store; clock: Clock; log: Logger }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** The store's revision up to which all started caches are complete. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether nobody else writes to the store, and its writes are in the caches before they are acknowledged. */
  get embedded(): boolean {
    return this.#store.cachesAreCurrent;
  }

  register(cache: WatchCache): void {
    this.#caches.set(cache.prefix, cache);
  }

  /** Brings it no more events. */
  unregister(cache: WatchCache): void {
    if (this.#caches.get(cache.prefix) === cache) this.#caches.delete(cache.prefix);
  }

  async start(): Promise<void> {
    const standing = new Promise<void>((resolve) => {
      this.#started = resolve;
    });
    this.#watch(undefined);
    await standing;
  }

  stop(): void {
    this.#stopped = true;
    this.#handle?.cancel();
    for (const waiter of this.#waiters) waiter.timer.cancel();
    this.#waiters.clear();
  }

  /** Waits until the caches have this revision; throws upstream's time-out when they do not in three seconds. */
  async waitFor(revision: number): Promise<void> {
    if (revision <= this.#revision) return;
    await new Promise<void>((resolve, reject) => {
      const timer = this.#clock.after(FRESH_TIMEOUT_MS, () => {
        this.#waiters.delete(waiter);
        reject(tooLarge(revision, this.#revision));
      });
      const waiter: Waiter = { revision, resolve, timer };
      this.#waiters.add(waiter);
      this.#handle?.requestProgress();
    });
  }

  /** Waits until the caches show everything that was acknowledged before the call, by whomever. */
  async waitUntilFresh(): Promise<void> {
    if (this.embedded) return;
    const { revision } = await this.#store.range({ key: REGISTRY, countOnly: true });
    if (revision <= this.#revision) return;
    // Some etcds do not answer a request for progress (before 3.4.31 and 3.5.13). Where events alone do not bring
    // the revision soon (it was made outside our keys), a write of our own brings it.
    const proof = this.#answersProgress() ? undefined : this.#clock.after(PROOF_DELAY_MS, () => this.#prove());
    try {
      await this.waitFor(revision);
    } finally {
      proof?.cancel();
    }
  }

  /** Makes the store tell how far it is, where it does not when asked: a write of our own. Undefined: it tells. */
  get prove(): (() => void) | undefined {
    return this.#answersProgress() ? undefined : () => this.#prove();
  }

  #answersProgress(): boolean {
    return !('promptProgress' in this.#store) || this.#store.promptProgress !== false;
  }

  #prove(): void {
    const operation = { type: 'put', key: PROOF_KEY, value: new Uint8Array(0) } as const;
    this.#store.txn({ compare: [], success: [operation], failure: [] }).catch((error: unknown) => {
      this.#log.warn('no proof of progress', { reason: messageOf(error) });
    });
  }

  #watch(from: number | undefined): void {
    this.#handle = this.#store.watch(
      {
        key: REGISTRY,
        end: prefixEnd(REGISTRY),
        progress: true,
        ...(from === undefined ? {} : { startRevision: from }),
      },
      {
        created: (revision) => {
          if (from === undefined) this.#advance(revision);
          this.#started?.();
        },
        events: (events, revision) => {
          for (const event of events) this.#route(event);
          this.#advance(revision);
        },
        progress: (revision) => this.#advance(revision),
        end: (error) => this.#ended(error),
      },
    );
  }

  /** `/registry/pods/…` has its cache under one part of the path, `/registry/services/specs/…` under two. */
  #route(event: StoreEvent): void {
    const { key } = event.kv;
    const first = key.indexOf('/', REGISTRY.length);
    const cache = this.#caches.get(key.slice(0, first + 1));
    if (cache !== undefined) {
      cache.apply(event);
      return;
    }
    const second = key.indexOf('/', first + 1);
    if (second !== -1) this.#caches.get(key.slice(0, second + 1))?.apply(event);
  }

  #advance(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    if (this.#waiters.size === 0) return;
    for (const waiter of this.#waiters) {
      if (waiter.revision > revision) continue;
      this.#waiters.delete(waiter);
      waiter.timer.cancel();
      waiter.resolve();
    }
  }

  #ended(error: Error | undefined): void {
    if (this.#stopped) return;
    if (error instanceof StoreClosedError) {
      // It does not open again: the server ends, or never began.
      this.#log.info(2, 'the store was closed');
      return;
    }
    this.#log.warn('the watch of the store ended', { reason: messageOf(error ?? 'ended') });
    this.#clock.after(RESTART_DELAY_MS, () => {
      if (this.#stopped) return;
      // Where nothing was missed it goes on where it stopped; else everything is read anew.
      if (!(error instanceof CompactedError)) return this.#watch(this.#revision + 1);
      this.#watch(undefined);
      for (const cache of this.#caches.values()) {
        this.#reload(cache);
      }
    });
  }

  /** What could not be read may be readable now: reads the resources again in which something is set aside. */
  readLost(): void {
    for (const cache of this.#caches.values()) if (cache.unreadable.size > 0) this.#reload(cache);
  }

  /** Until it succeeds: who follows the cache has to hear what was missed. */
  #reload(cache: WatchCache): void {
    cache.reload().catch((failure: unknown) => {
      this.#log.warn('a resource is read again', { prefix: cache.prefix, reason: messageOf(failure) });
      this.#clock.after(RESTART_DELAY_MS, () => {
        if (!this.#stopped && this.#caches.get(cache.prefix) === cache) this.#reload(cache);
      });
    });
  }
}

function tooLarge(asked: number, current: number): Error {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    reason: 'Timeout',
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
    code: 504,
  });
}
