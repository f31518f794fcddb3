import type { Place } from '../ports.ts';

/** As nginx has it by default (`fail_timeout`, after one failure). */
const SPARED_MS = 10_000;
/** The oldest of more than these are forgotten: whoever makes Services of dead addresses has others' asked once more. */
const PLACES_MAX = 1000;

/**
 * Places that could not be reached a moment ago. Others of their Service are asked before them; then one request finds out,
 * while those beside it are spared. Nobody is left out for it: where nobody else is, they are asked all the same.
 */
export class FailedPlaces {
  readonly #now: () => number;
  /** Until when each is spared; the one that failed last is last. */
  readonly #until = new Map<string, number>();

  /** `now`: milliseconds that only rise. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The first `count` of these places to be tried, those that failed last. */
  order(places: readonly Place[], count: number): readonly Place[] {
    if (this.#until.size === 0) return places;
    const now = this.#now();
    const [first, last]: [Place[], Place[]] = [[], []];
    for (const place of places) {
      if (first.length === count) break;
      ((this.#until.get(keyOf(place)) ?? 0) > now ? last : first).push(place);
    }
    const [next] = first;
    if (next !== undefined && this.#until.has(keyOf(next))) this.failed(next);
    return [...first, ...last].slice(0, count);
  }

  failed(place: Place): void {
    const key = keyOf(place);
    this.#until.delete(key);
    this.#until.set(key, this.#now() + SPARED_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > PLACES_MAX && oldest !== undefined) this.#until.delete(oldest);
  }

  reached(place: Place): void {
    if (this.#until.size > 0) this.#until.delete(keyOf(place));
  }
}

/** An address may be another pod's by now. */
function keyOf({ address, port, pod }: Place): string {
  return `${address} ${port} ${pod?.namespace} ${pod?.name}`;
}
