import type { Clock, Timer } from '@binnacle/base';
import { BoundedQueue, messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { AuditEvent, AuditSink } from '../ports/audit.ts';

/** Bounds of a buffer of events; upstream's `--audit-*-batch-*` flags. */
export interface BatchOptions {
  /** Events that wait at most; more are dropped, and counted. */
  readonly bufferSize: number;
  readonly batchSize: number;
  /** How long an event waits for others. */
  readonly batchWaitMs: number;
  /** Batches a second, and how many at once; absent: as they come. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
}

/** Upstream's defaults for a webhook. */
export const WEBHOOK_BATCHES: BatchOptions = {
  bufferSize: 10_000,
  batchSize: 400,
  batchWaitMs: 30_000,
  throttle: { qps: 10, burst: 15 },
};
/** Upstream's defaults for a file. */
export const LOG_BATCHES: BatchOptions = { bufferSize: 10_000, batchSize: 1, batchWaitMs: 0 };

/** What a buffer needs of its surroundings. */
export interface BatchWorld {
  readonly clock: Clock;
  readonly log: Logger;
  /** Events were dropped here, or lost behind. */
  readonly lost: (plugin: string, events: number) => void;
}

/** Gathers events and passes them on in batches, one batch at a time; requests do not wait for it. */
export class BatchSink implements AuditSink {
  readonly name = 'buffered';
  readonly strict = false;
  readonly #behind: AuditSink;
  readonly #options: BatchOptions;
  readonly #world: BatchWorld;
  readonly #waiting: BoundedQueue<AuditEvent>;
  #timer: Timer | undefined;
  /** When it rings. */
  #dueAt = 0;
  #sending: Promise<void> | undefined;
  #closed = false;
  /** Whether no batch was lost since it began to close. */
  #isWell = true;
  /** Batches that may go at once, and since when that was right. */
  #tokens: number;
  #tokensAt: number;

  constructor(behind: AuditSink, options: BatchOptions, world: BatchWorld) {
    this.#behind = behind;
    this.#options = options;
    this.#world = world;
    this.#waiting = new BoundedQueue('audit events', options.bufferSize);
    this.#tokens = options.throttle?.burst ?? 0;
    this.#tokensAt = world.clock.monotonic();
  }

  write(events: readonly AuditEvent[]): void {
    let dropped = 0;
    for (const event of events) if (this.#closed || !this.#waiting.offer(event)) dropped++;
    if (dropped > 0) this.#world.lost(this.name, dropped);
    this.#wind();
  }

  /**
   * Passes on what waits, without throttle, until a batch is lost: who does not answer would be waited for once more for
   * each of them, while the server should end.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    this.#behind.lastCall?.();
    this.#isWell = true;
    await this.#sending;
    while (this.#waiting.length > 0 && this.#isWell) await this.#sendBatch();
    if (this.#waiting.length > 0) this.#world.lost(this.name, this.#waiting.length);
    await this.#behind.close();
  }

  #wind(): void {
    if (this.#sending !== undefined || this.#closed || this.#waiting.length === 0) return;
    const full = this.#waiting.length >= this.#options.batchSize;
    const delay = Math.max(full ? 0 : this.#options.batchWaitMs, this.#throttledMs());
    const dueAt = this.#world.clock.monotonic() + delay;
    // Begun anew with each event, it would not ring as long as they come fast: just when the buffer fills.
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return;
    this.#timer?.cancel();
    this.#dueAt = dueAt;
    this.#timer = this.#world.clock.after(delay, () => this.#send(), { background: true });
  }

  /** How long the throttle holds the next batch back. */
  #throttledMs(): number {
    const { throttle } = this.#options;
    if (throttle === undefined) return 0;
    const now = this.#world.clock.monotonic();
    this.#tokens = Math.min(throttle.burst, this.#tokens + ((now - this.#tokensAt) / 1000) * throttle.qps);
    this.#tokensAt = now;
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / throttle.qps) * 1000);
  }

  #send(): void {
    this.#timer = undefined;
    this.#tokens--;
    // Never rejects: what is lost is counted.
    this.#sending = this.#sendBatch().finally(() => {
      this.#sending = undefined;
      this.#wind();
    });
  }

  async #sendBatch(): Promise<void> {
    const batch: AuditEvent[] = [];
    while (batch.length < this.#options.batchSize) {
      const event = this.#waiting.shift();
      if (event === undefined) break;
      batch.push(event);
    }
    if (batch.length === 0) return;
    try {
      await this.#behind.write(batch);
    } catch (error) {
      this.#isWell = false;
      this.#world.lost(this.#behind.name, batch.length);
      this.#world.log.warn('audit events were lost', { events: batch.length, reason: messageOf(error) });
    }
  }
}
