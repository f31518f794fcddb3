import type { Clock } from '@binnacle/base';

/** What grew how fast: between the questions of those who ask, because nobody else looks. */
interface Reading {
  readonly at: number;
  readonly total: number;
  readonly perSecond: number | undefined;
}

/** Closer than this two readings say little; further apart than that, nothing about now. */
const CLOSEST_MS = 500;
const FURTHEST_MS = 60_000;
const READINGS_MAX = 4_096;

/** Rates of counters by name. When there are too many, the one that was asked for longest ago goes. */
export class Rates {
  readonly #clock: Clock;
  readonly #readings = new Map<string, Reading>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Per second since the last time it was asked for; undefined: not lately. Rounded to whole ones. */
  of(name: string, total: number): number | undefined {
    const at = this.#clock.monotonic();
    const before = this.#readings.get(name);
    if (before !== undefined && at - before.at < CLOSEST_MS) return before.perSecond;
    const perSecond = rateSince(before, { at, total });
    this.#readings.delete(name);
    const [oldest] = this.#readings.size >= READINGS_MAX ? this.#readings.keys() : [];
    if (oldest !== undefined) this.#readings.delete(oldest);
    this.#readings.set(name, { at, total, perSecond });
    return perSecond;
  }
}

function rateSince(
  before: Reading | undefined,
  now: { readonly at: number; readonly total: number },
): number | undefined {
  if (before === undefined || now.at - before.at > FURTHEST_MS || now.total < before.total) return undefined;
  return Math.round(((now.total - before.total) * 1000) / (now.at - before.at));
}
