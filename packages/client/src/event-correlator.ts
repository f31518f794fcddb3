import { RecentTable } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { ObjectReference } from '@binnacle/api/core/v1';

/** An Event before it is counted. */
export interface EventFacts {
  readonly about: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly component: string;
  readonly host: string;
}

/** What to write: a new Event, or a higher count on one that was written before. */
export interface EventPlan {
  /** The same for all that are counted together. */
  readonly counted: CountedEvent;
  readonly message: string;
  readonly count: number;
  /** When the first of the counted ones happened, ms since the epoch. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** What was said again and again. */
export interface CountedEvent {
  count: number;
  readonly firstMs: number;
  /** The name of the Event that carries the count, once it is written: for whoever writes it to note. */
  written: string | undefined;
}

interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

interface SpamBucket {
  tokens: number;
  atMs: number;
}

// Upstream's figures (client-go, tools/record).
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 300_000;
const SIMILAR_MAX = 10;
const SIMILAR_WINDOW_MS = 600_000;
/** Each table remembers at most this many entries, those used lately. */
const REMEMBERED_MAX = 4096;

/** Decides for each Event whether it is spam, a repeat or new. All state is bounded; no I/O. */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #buckets = new RecentTable<SpamBucket>(REMEMBERED_MAX);
  readonly #similar = new RecentTable<Similar>(REMEMBERED_MAX);
  readonly #counters = new RecentTable<CountedEvent>(REMEMBERED_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined when the object has had more than its share of Events. */
  plan(facts: EventFacts): EventPlan | undefined {
    const now = this.#clock.now();
    const object = identity(facts);
    if (!this.#spend(object, now)) return undefined;
    const group = `${object}|${facts.type}|${facts.reason}`;
    const combined = this.#isOneOfMany(group, facts.message, now);
    const message = combined ? `(combined from similar events): ${facts.message}` : facts.message;
    // As upstream: what is one of many is counted for the object as a whole, all else for its part.
    const key = combined ? `${group}|*` : `${group}|${facts.about.fieldPath ?? ''}|${facts.message}`;
    let counted = this.#counters.get(key);
    if (counted === undefined) {
      counted = { count: 0, firstMs: now, written: undefined };
      this.#counters.set(key, counted);
    }
    counted.count++;
    return { counted, message, count: counted.count, firstMs: counted.firstMs, lastMs: now };
  }

  #spend(object: string, now: number): boolean {
    let bucket = this.#buckets.get(object);
    if (bucket === undefined) {
      bucket = { tokens: SPAM_BURST, atMs: now };
      this.#buckets.set(object, bucket);
    }
    bucket.tokens = Math.min(SPAM_BURST, bucket.tokens + (now - bucket.atMs) / SPAM_REFILL_MS);
    bucket.atMs = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  #isOneOfMany(group: string, message: string, now: number): boolean {
    let similar = this.#similar.get(group);
    if (similar === undefined || now - similar.lastMs > SIMILAR_WINDOW_MS) {
      similar = { messages: new Set(), lastMs: now };
      this.#similar.set(group, similar);
    }
    similar.lastMs = now;
    if (similar.messages.has(message)) return false;
    if (similar.messages.size >= SIMILAR_MAX) return true;
    similar.messages.add(message);
    return false;
  }
}

function identity(facts: EventFacts): string {
  const { kind, namespace, name, uid, apiVersion } = facts.about;
  return [facts.component, facts.host, kind, namespace, name, uid, apiVersion].join('|');
}
