import { messageOf, orAborted, sleep } from '@binnacle/base';
import type { ClientWorld } from '@binnacle/client';

/** What keeping rules has come to so far. */
export interface RuleReport {
  /** Milliseconds since 1970 of the last time that all was as it should be; undefined: never yet. */
  readonly syncedAt: number | undefined;
  readonly syncs: number;
  readonly failures: number;
  /** Milliseconds since 1970 from when on the machine does not have what is wanted; undefined: it has all of it. */
  readonly pendingSince: number | undefined;
  /** How long the last one took. */
  readonly lastSyncMs: number;
  /** Things that the machine does not take, while it takes all others. */
  readonly refused: number;
}

/** Whose rules are kept. */
export interface KeptRules {
  readonly world: ClientWorld;
  /** Changes are gathered this long, counted from the last time that the machine was asked. */
  readonly minSyncMs: number;
  /** Makes all of them, whatever the machine has. */
  replace(): Promise<void>;
  /** Makes what changed since. `untouched`: what came asks nothing of the machine, and whatever comes next need not wait. */
  change(): Promise<void | 'untouched'>;
  /** How many things the machine does not take, while it takes all others. Absent: it takes all or none. */
  readonly refused?: () => number;
  /** What is said when the machine does not take them. */
  readonly complaint: string;
}

/** After a failure, then twice as long, and so on. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;

/** Keeps a machine's rules: all of them at first and after a failure, then what changes, as often as asked at the most. */
export class RuleKeeper {
  readonly #kept: KeptRules;
  readonly #first = Promise.withResolvers<void>();
  readonly #tried = Promise.withResolvers<void>();
  /** Resolved when there is something to do. */
  #work = Promise.withResolvers<void>();
  #isWhole = false;
  /** Something came since the machine was asked last, or it is being asked. */
  #isPending = true;
  #isAsking = false;
  /** When the oldest of what is pending came, and of what the machine is being asked. */
  #cameAt: number | undefined;
  #askedCameAt: number | undefined;
  /** Who waits until the machine has what came before they asked. */
  #waiting = new Set<PromiseWithResolvers<void>>();
  #report: Omit<RuleReport, 'pendingSince'> = { syncedAt: undefined, syncs: 0, failures: 0, lastSyncMs: 0, refused: 0 };

  constructor(kept: KeptRules) {
    this.#kept = kept;
  }

  get report(): RuleReport {
    return { ...this.#report, pendingSince: this.#askedCameAt ?? this.#cameAt };
  }

  /** The first rules are there. */
  whenSynced(): Promise<void> {
    return this.#first.promise;
  }

  /** The machine was asked to take them once; `report` says whether it did. */
  whenTried(): Promise<void> {
    return this.#tried.promise;
  }

  /** Something changed. */
  wake(): void {
    this.#isPending = true;
    this.#cameAt ??= this.#kept.world.clock.now();
    this.#work.resolve();
  }

  /** What came before this call is on the machine. Rejects when the signal says so. */
  async settled(signal: AbortSignal): Promise<void> {
    if (!this.#isPending && !this.#isAsking) return;
    const waiter = Promise.withResolvers<void>();
    this.#waiting.add(waiter);
    this.wake();
    try {
      await orAborted(waiter.promise, signal);
    } finally {
      this.#waiting.delete(waiter);
    }
  }

  /** What the machine has is not known any more: all are made again. */
  resync(): void {
    this.#isWhole = false;
    this.wake();
  }

  /** Until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, minSyncMs } = this.#kept;
    // What is waited for below is told of the end too: a promise that lives as long as this remembers all who waited for it.
    signal.addEventListener('abort', () => this.#work.resolve(), { once: true });
    let retryMs = RETRY_MS;
    while (!signal.aborted) {
      this.#work = Promise.withResolvers();
      const outcome = await this.#sync(signal);
      const ok = outcome !== 'failed';
      this.#tried.resolve();
      if (ok) this.#first.resolve();
      // Changes in a row are gathered, failures tried again later; then it waits to be woken.
      if (outcome !== 'untouched') await sleep(world.clock, ok ? minSyncMs : retryMs, signal);
      retryMs = ok ? RETRY_MS : Math.min(retryMs * 2, RETRY_MS_MAX);
      if (ok) await this.#work.promise;
    }
  }

  async #sync(signal: AbortSignal): Promise<'done' | 'untouched' | 'failed'> {
    const { world, complaint } = this.#kept;
    const { syncs, failures } = this.#report;
    const from = world.clock.monotonic();
    const wasWhole = this.#isWhole;
    // What comes while it runs is for the next time.
    this.#isWhole = true;
    this.#isPending = false;
    this.#isAsking = true;
    this.#askedCameAt = this.#cameAt ?? world.clock.now();
    this.#cameAt = undefined;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    try {
      const touched = await (wasWhole ? this.#kept.change() : this.#kept.replace());
      for (const { resolve } of waiting) resolve();
      const lastSyncMs = world.clock.monotonic() - from;
      const refused = this.#kept.refused?.() ?? 0;
      this.#report = { syncedAt: world.clock.now(), syncs: syncs + 1, failures, lastSyncMs, refused };
      return touched ?? 'done';
    } catch (error) {
      if (signal.aborted) return 'failed';
      // What the machine has now is not known: the next time makes all of it.
      this.#isWhole = false;
      this.#isPending = true;
      this.#cameAt = this.#askedCameAt;
      for (const waiter of waiting) this.#waiting.add(waiter);
      this.#report = { ...this.#report, failures: failures + 1 };
      world.log.error(error, complaint, { reason: messageOf(error) });
      return 'failed';
    } finally {
      this.#isAsking = false;
      this.#askedCameAt = undefined;
    }
  }
}
