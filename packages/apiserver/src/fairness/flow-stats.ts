import { RecentTable } from '@binnacle/base';
import { Histogram } from '../observe/series.ts';
import type { Refusal } from './queue-set.ts';

const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const QUEUE_LENGTHS = [0, 10, 25, 50, 100, 250, 500, 1000];
const WATCHERS = [0, 1, 10, 100, 1000, 10_000];
const SEATS = [1, 2, 4, 8, 16, 32, 64, 100];

/** Hands of flows that came lately, so that they are not dealt at every request. */
const HANDS_MAX = 4096;

/** What is counted of the requests of one flow schema at one level, and which queues its flows choose among. */
export class FlowStats {
  readonly schema: string;
  waiting = 0;
  waitingSeats = 0;
  executing = 0;
  executingSeats = 0;
  dispatched = 0;
  /** Times that its turn had come and there were not enough seats. */
  heldBack = 0;
  readonly refused = new Map<Refusal | 'time-out' | 'cancelled', number>();
  readonly queueLength = new Histogram(QUEUE_LENGTHS);
  readonly waited = { true: new Histogram(SECONDS), false: new Histogram(SECONDS) };
  readonly executed = { regular: new Histogram(SECONDS), watch: new Histogram(SECONDS) };
  readonly watchers = new Histogram(WATCHERS);
  readonly seats = new Histogram(SEATS);

  #hands = new RecentTable<readonly number[]>(HANDS_MAX);

  constructor(schema: string) {
    this.schema = schema;
  }

  /** By what tells the flows of the schema apart. */
  get hands(): RecentTable<readonly number[]> {
    return this.#hands;
  }

  /** The queues are others. */
  forgetHands(): void {
    this.#hands = new RecentTable(HANDS_MAX);
  }

  refuse(reason: Refusal | 'time-out' | 'cancelled'): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
  }
}

/** How long a gauge stood in which range, in nanoseconds, as a fraction of a limit that may change. */
export class TimedRatio {
  readonly histogram: Histogram;
  #ratio = 0;
  #since: number;

  /** `now`: seconds. */
  constructor(bounds: readonly number[], now: number) {
    this.histogram = new Histogram(bounds);
    this.#since = now;
  }

  set(value: number, limit: number, now: number): void {
    const ratio = limit > 0 ? value / limit : value;
    // As long as it stands where it stood, time adds up by itself.
    if (ratio === this.#ratio) return;
    this.pass(now);
    this.#ratio = ratio;
  }

  /** What stood until now is counted. */
  pass(now: number): void {
    const passed = Math.round((now - this.#since) * 1e9);
    if (passed <= 0) return;
    this.histogram.observe(this.#ratio, passed);
    this.#since = now;
  }
}
