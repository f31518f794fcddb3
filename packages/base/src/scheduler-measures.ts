/** One series that counts up. */
export interface Tally {
  count: number;
}

/** One series of values, of which the distribution is kept. */
export interface Spread {
  observe(value: number): void;
}

/** What is counted of a scheduler; names are upstream's, without `scheduler_`. */
export type SchedulerTally =
  | 'plugin_evaluation_total'
  | 'pod_scheduled_after_flush_total'
  | 'preemption_attempts_total'
  | 'queue_incoming_pods_total'
  | 'schedule_attempts_total';

/** What is measured: seconds, or pods and tries where the name says so. */
export type SchedulerSpread =
  | 'framework_extension_point_duration_seconds'
  | 'permit_wait_duration_seconds'
  | 'plugin_execution_duration_seconds'
  | 'pod_scheduling_attempts'
  | 'pod_scheduling_sli_duration_seconds'
  | 'preemption_victims'
  | 'scheduling_algorithm_duration_seconds'
  | 'scheduling_attempt_duration_seconds';

/** What is looked up when somebody asks. */
export type SchedulerGauge = 'cache_size' | 'goroutines' | 'pending_pods' | 'unschedulable_pods';

/** Tells one gauge; `values` in the order of its labels. */
export type GaugeSink = (figure: SchedulerGauge, values: readonly string[], value: number) => void;

/**
 * Who keeps score of a scheduler. `values`: labels in the order in which upstream names them. A series is asked for once and
 * kept by who counts: each pod costs a few additions. Bounded: of one figure there are so many series, and what comes beyond them
 * is shown nowhere.
 */
export interface SchedulerMeasures {
  tally(figure: SchedulerTally, values: readonly string[]): Tally;
  spread(figure: SchedulerSpread, values: readonly string[]): Spread;
  /** `read` is asked whenever the figures are shown, until what comes back is called. */
  gauges(read: (tell: GaugeSink) => void): () => void;
}
