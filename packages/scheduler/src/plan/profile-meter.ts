import type { SchedulerMeasures, Spread, Tally } from '@binnacle/base';
import type { QueuedPod, Refusal } from './framework.ts';

/** The points that are told, as upstream names them. Scores are part of Filter: both are looked at in one go. */
export type Point =
  | 'PreFilter'
  | 'Filter'
  | 'PostFilter'
  | 'Reserve'
  | 'Unreserve'
  | 'Permit'
  | 'PreBind'
  | 'Bind'
  | 'PostBind';

/** What plugins said, as upstream names it. */
export type Code = 'Success' | 'Wait' | 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Error';

export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

/** Of plugins' own times one pod in so many is told, as upstream's tenth. */
const SAMPLED_EACH = 10;
/** Pods that took more tries than these are told together. */
const ATTEMPTS_TOLD = 15;

interface Attempts {
  readonly count: Tally;
  readonly seconds: Spread;
}

/** Keeps score of what one profile does. Series are made when they are first needed, and kept. */
export class ProfileMeter {
  /** Milliseconds of the monotonic clock. */
  readonly now: () => number;
  /** Whether the plugins' own times are told of this pod. */
  isSampled = false;
  /** When the decision that goes on came to where it is; nobody else is decided meanwhile. */
  at = 0;
  readonly #measures: SchedulerMeasures;
  readonly #profile: string;
  readonly #points = new Map<Code, Map<Point, Spread>>();
  readonly #attempts = new Map<AttemptResult, Attempts>();
  readonly #algorithm: Spread;
  readonly #tries: Spread;
  /** By the tries that it took. */
  readonly #took: (Spread | undefined)[] = [];
  #pods = 0;

  constructor(measures: SchedulerMeasures, { profile, now }: { readonly profile: string; readonly now: () => number }) {
    this.now = now;
    this.#measures = measures;
    this.#profile = profile;
    this.#algorithm = measures.spread('scheduling_algorithm_duration_seconds', []);
    this.#tries = measures.spread('pod_scheduling_attempts', []);
  }

  /** A pod is decided from now on. */
  begin(now: number): void {
    this.at = now;
    this.isSampled = this.#pods++ % SAMPLED_EACH === 0;
  }

  /** All that happened since was this point's. */
  lap(point: Point, code: Code): void {
    const now = this.now();
    this.point(point, code, now - this.at);
    this.at = now;
  }

  point(point: Point, code: Code, ms: number): void {
    let points = this.#points.get(code);
    if (points === undefined) this.#points.set(code, (points = new Map<Point, Spread>()));
    let spread = points.get(point);
    if (spread === undefined) {
      const values = [point, code, this.#profile];
      spread = this.#measures.spread('framework_extension_point_duration_seconds', values);
      points.set(point, spread);
    }
    spread.observe(ms / 1_000);
  }

  /** Where the pod goes, or that it goes nowhere, is known since `at`. */
  decided(began: number): void {
    this.#algorithm.observe((this.at - began) / 1_000);
  }

  attempted(result: AttemptResult, ms: number): void {
    let attempts = this.#attempts.get(result);
    if (attempts === undefined) {
      const values = [result, this.#profile];
      attempts = {
        count: this.#measures.tally('schedule_attempts_total', values),
        seconds: this.#measures.spread('scheduling_attempt_duration_seconds', values),
      };
      this.#attempts.set(result, attempts);
    }
    attempts.count.count++;
    attempts.seconds.observe(ms / 1_000);
  }

  /** The pod is on its node since `now`. */
  bound({ attempts, entered, since, triedAt, wasFlushed }: QueuedPod, now: number): void {
    this.attempted('scheduled', now - triedAt);
    this.#tries.observe(attempts);
    const place = Math.min(attempts, ATTEMPTS_TOLD);
    let took = this.#took[place];
    if (took === undefined) {
      const label = place === ATTEMPTS_TOLD ? `${ATTEMPTS_TOLD}+` : String(place);
      this.#took[place] = took = this.#measures.spread('pod_scheduling_sli_duration_seconds', [label]);
    }
    took.observe((now - (entered ?? since)) / 1_000);
    if (wasFlushed === true) this.#measures.tally('pod_scheduled_after_flush_total', []).count++;
  }

  /** A plugin held a pod back for so long; rare. */
  permitWaited(code: Code, ms: number): void {
    this.#measures.spread('permit_wait_duration_seconds', [code]).observe(ms / 1_000);
  }

  /** For who counts what a plugin was asked. */
  evaluations(plugin: string, point: string): Tally {
    return this.#measures.tally('plugin_evaluation_total', [plugin, point, this.#profile]);
  }

  /** For who measures a plugin. */
  execution(plugin: string, point: string, code: Code): Spread {
    return this.#measures.spread('plugin_execution_duration_seconds', [plugin, point, code]);
  }
}

export function codeOf(refusal: Refusal | undefined): Code {
  if (refusal === undefined) return 'Success';
  return refusal.unresolvable ? 'UnschedulableAndUnresolvable' : 'Unschedulable';
}
