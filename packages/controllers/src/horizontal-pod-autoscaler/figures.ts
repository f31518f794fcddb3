import { exponentialBounds } from '@binnacle/base';
import type { CountFigure, FigureMeasures, GaugeFigure, SpreadFigure } from '@binnacle/base';
import { splitKey } from '@binnacle/reconcile';

/** What came of a look: what was done, and what kept more from being done. */
export interface LookResult {
  readonly action: 'scale_up' | 'scale_down' | 'none';
  /** `spec`: the autoscaler itself is wrong. */
  readonly error: 'spec' | 'internal' | 'none';
}

const SUBSYSTEM = 'horizontal_pod_autoscaler_controller';
const RESULT = ['action', 'error'];
const OF_METRIC = [...RESULT, 'metric_type'];

/** What the controller of autoscalers tells of itself (pkg/controller/podautoscaler/monitor). */
export class AutoscalerFigures {
  readonly #looks: CountFigure;
  readonly #lookSeconds: SpreadFigure;
  readonly #metrics: CountFigure;
  readonly #metricSeconds: SpreadFigure;
  readonly #desired: GaugeFigure;

  constructor(figures: FigureMeasures) {
    const bounds = exponentialBounds(0.001, 2, 15);
    const named = (name: string, help: string, labels: readonly string[]) => ({
      name: `${SUBSYSTEM}_${name}`,
      help,
      labels,
    });
    this.#looks = figures.counter(named('reconciliations_total', 'Looks at autoscalers.', RESULT));
    const look = named('reconciliation_duration_seconds', 'How long a look at an autoscaler took.', RESULT);
    this.#lookSeconds = figures.spread(look, bounds);
    const metrics = named('metric_computation_total', 'How often it was worked out what a metric asks for.', OF_METRIC);
    this.#metrics = figures.counter(metrics);
    const metric = named('metric_computation_duration_seconds', 'How long that took.', OF_METRIC);
    this.#metricSeconds = figures.spread(metric, bounds);
    const desired = named('desired_replicas', 'How many replicas an autoscaler wants.', ['namespace', 'hpa_name']);
    this.#desired = figures.gauge(desired);
  }

  looked({ action, error }: LookResult, seconds: number): void {
    this.#looks.add([action, error]);
    this.#lookSeconds.observe([action, error], seconds);
  }

  computed({ action, error }: LookResult, of: { readonly type: string; readonly seconds: number }): void {
    this.#metrics.add([action, error, of.type]);
    this.#metricSeconds.observe([action, error, of.type], of.seconds);
  }

  wants(key: string, replicas: number): void {
    const { namespace, name } = splitKey(key);
    this.#desired.set([namespace, name], replicas);
  }

  gone(key: string): void {
    const { namespace, name } = splitKey(key);
    this.#desired.drop([namespace, name]);
  }
}

/** Which way a number is changed. */
export function actionOf(before: number, after: number): LookResult['action'] {
  return after === before ? 'none' : after > before ? 'scale_up' : 'scale_down';
}
