/** A number of replicas that metrics asked for, before any limit. */
export interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

/** A change that was made; more is positive. */
export interface ScaleChange {
  readonly by: number;
  readonly atMs: number;
}

/** What is remembered of one autoscaler. */
export interface PastOfOne {
  readonly recommendations: readonly Recommendation[];
  readonly changes: readonly ScaleChange[];
}

/** The longest window and period that the API takes, ms: an hour for windows, half of one for periods. */
const LONGEST_MS = 3_600_000;
/** Of one autoscaler; one every 15 s for an hour is 240. */
const KEPT_MAX = 1000;

/**
 * What autoscalers did and were asked to do lately, by their keys. Only in memory, as upstream's: after a restart the
 * present number stands for the past.
 */
export class ScaleHistory {
  readonly #byKey = new Map<string, PastOfOne>();

  /** The first look: the present number is a recommendation, so that a restart never makes a target shrink at once. */
  begin(key: string, replicas: number, atMs: number): void {
    if (!this.#byKey.has(key)) this.#byKey.set(key, { recommendations: [{ replicas, atMs }], changes: [] });
  }

  of(key: string): PastOfOne {
    return this.#byKey.get(key) ?? { recommendations: [], changes: [] };
  }

  recommend(key: string, recommendation: Recommendation): void {
    const past = this.of(key);
    const recommendations = recent([...past.recommendations, recommendation], recommendation.atMs);
    this.#byKey.set(key, { ...past, recommendations });
  }

  changed(key: string, change: ScaleChange): void {
    const past = this.of(key);
    this.#byKey.set(key, { ...past, changes: recent([...past.changes, change], change.atMs) });
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}

function recent<T extends { readonly atMs: number }>(all: readonly T[], nowMs: number): readonly T[] {
  return all.filter(({ atMs }) => atMs >= nowMs - LONGEST_MS).slice(-KEPT_MAX);
}
