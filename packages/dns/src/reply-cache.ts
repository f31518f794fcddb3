import type { Clock } from '@binnacle/base';
import type { ForeignReply } from './foreign-reply.ts';

/** The longest life that is believed, and for how long after it an answer serves while nobody can be asked. Seconds. */
const LIFE_MAX = 3600;
const STALE_MAX = 3600;
const BOUND = { entries: 10_000, bytes: 8 << 20 };

interface Kept {
  readonly reply: ForeignReply;
  /** Milliseconds of the monotonic clock. */
  readonly since: number;
  readonly until: number;
}

/** A kept answer; `age` in whole seconds. */
export interface CachedReply {
  readonly reply: ForeignReply;
  readonly age: number;
  /** Its life is over: good for when nobody answers (RFC 8767). */
  readonly stale: boolean;
  /** When it is a second older, or its life over; in milliseconds of the monotonic clock. */
  readonly until: number;
}

/** Answers of other servers, the least recently asked for thrown away first. */
export class ReplyCache {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(key: string): CachedReply | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const now = this.#clock.monotonic();
    if (now >= kept.until + STALE_MAX * 1000) {
      this.#remove(key, kept);
      return undefined;
    }
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const age = Math.floor((now - kept.since) / 1000);
    const until = Math.min(kept.until, kept.since + (age + 1) * 1000);
    return { reply: kept.reply, age, stale: now >= kept.until, until };
  }

  keep(key: string, reply: ForeignReply): void {
    if (reply.life === 0) return;
    const old = this.#kept.get(key);
    if (old !== undefined) this.#remove(key, old);
    const since = this.#clock.monotonic();
    const kept = { reply, since, until: since + Math.min(reply.life, LIFE_MAX) * 1000 };
    this.#kept.set(key, kept);
    this.#bytes += sizeOf(key, kept);
    for (const [oldest, entry] of this.#kept) {
      if (this.#kept.size <= BOUND.entries && this.#bytes <= BOUND.bytes) break;
      this.#remove(oldest, entry);
    }
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #remove(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#bytes -= sizeOf(key, kept);
  }
}

function sizeOf(key: string, { reply }: Kept): number {
  return key.length * 2 + reply.bytes.length + reply.ttlAt.length * 8 + 200;
}
