import { formatTime } from '@binnacle/base';
import { setCondition } from '@binnacle/api';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  MetricStatus,
} from '@binnacle/api/autoscaling/v2';
import type { Word } from './limits.ts';

/** An autoscaler's status while one look at it goes on. */
export class StatusDraft {
  readonly #before: HorizontalPodAutoscaler;
  readonly #now: string;
  #conditions: readonly HorizontalPodAutoscalerCondition[];

  constructor(autoscaler: HorizontalPodAutoscaler, nowMs: number) {
    this.#before = autoscaler;
    this.#now = formatTime(nowMs);
    this.#conditions = autoscaler.status?.conditions ?? [];
  }

  say(type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited', isTrue: boolean, { reason, message }: Word): void {
    const condition = { type, status: isTrue ? ('True' as const) : ('False' as const), reason, message };
    this.#conditions = setCondition(this.#conditions, condition, this.#now);
  }

  /** The autoscaler with what was said, and these numbers. `desired` undefined: as it was. */
  finish(of: {
    readonly current: number;
    readonly desired?: number;
    readonly metrics: readonly MetricStatus[];
    readonly rescaled?: boolean;
  }): HorizontalPodAutoscaler {
    const { status } = this.#before;
    // What rests of an empty list is null, and no other.
    const isNone = of.metrics.length === 0 && (status?.currentMetrics ?? []).length === 0;
    const lastScaleTime = of.rescaled === true ? this.#now : status?.lastScaleTime;
    return {
      ...this.#before,
      status: {
        ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
        currentReplicas: of.current,
        desiredReplicas: of.desired ?? status?.desiredReplicas ?? 0,
        currentMetrics: isNone && status !== undefined ? status.currentMetrics : of.metrics,
        conditions: this.#conditions,
      },
    };
  }

  /** The autoscaler with what was said; its numbers stay. */
  unchanged(): HorizontalPodAutoscaler {
    const { status } = this.#before;
    const numbers = { desiredReplicas: 0, currentMetrics: [], ...status };
    return { ...this.#before, status: { ...numbers, conditions: this.#conditions } };
  }
}
