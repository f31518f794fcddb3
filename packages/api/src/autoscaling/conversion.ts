import { DecodeError, QuantityError } from '@binnacle/machinery';
import type {
  HorizontalPodAutoscaler as V1,
  HorizontalPodAutoscalerSpec as SpecV1,
} from '../generated/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler as V2,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  MetricSpec,
  MetricStatus,
} from '../generated/autoscaling-v2.ts';
import { schemas } from '../schemas.ts';
import { fromV1Metric, fromV1MetricStatus, toV1Metric, toV1MetricStatus } from './v1-metrics.ts';

/** Where autoscaling/v1 keeps what it has no fields for. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const KEPT: ReadonlySet<string> = new Set([METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR]);

/** The autoscaler as autoscaling/v1 shows it: CPU utilization as a field, all else as annotations. */
export function toAutoscalerV1(autoscaler: V2): V1 {
  const { metadata, spec, status, ...rest } = autoscaler;
  const metrics = spec?.metrics ?? [];
  const cpu = metrics.find(isCpuUtilization)?.resource?.target.averageUtilization;
  const current = status?.currentMetrics ?? [];
  const currentCpu = current.find(isCpuStatus)?.resource?.current.averageUtilization;
  const kept = {
    [METRICS]: listText(metrics.filter((metric) => !isCpuUtilization(metric)).map(toV1Metric)),
    [CURRENT_METRICS]: listText(current.filter((metric) => !isCpuStatus(metric)).map(toV1MetricStatus)),
    [CONDITIONS]: listText(status?.conditions ?? []),
    [BEHAVIOR]: spec?.behavior === undefined ? undefined : JSON.stringify(spec.behavior),
  };
  const { currentMetrics: _, conditions: __, ...counts } = status ?? { currentMetrics: [], desiredReplicas: 0 };
  return {
    ...rest,
    ...(rest.apiVersion === undefined ? {} : { apiVersion: 'autoscaling/v1' }),
    metadata: { ...metadata, ...annotated(metadata.annotations, kept) },
    spec: specV1(autoscaler, cpu),
    status: {
      ...counts,
      currentReplicas: counts.currentReplicas ?? 0,
      ...(currentCpu === undefined ? {} : { currentCPUUtilizationPercentage: currentCpu }),
    },
  };
}

/** The form that is stored of an autoscaler that came as autoscaling/v1. */
export function toAutoscalerV2(autoscaler: V1): V2 {
  const { metadata, spec, status, ...rest } = autoscaler;
  const annotations = metadata.annotations ?? {};
  const behavior = read<HorizontalPodAutoscalerBehavior>(parsed(annotations[BEHAVIOR]), V2_BEHAVIOR);
  const { targetCPUUtilizationPercentage: cpu, ...specRest } = spec ?? {
    scaleTargetRef: { kind: '', name: '' },
    maxReplicas: 0,
  };
  const { currentCPUUtilizationPercentage: currentCpu, ...counts } = status ?? {
    currentReplicas: 0,
    desiredReplicas: 0,
  };
  const metrics = [...cpuMetric(cpu), ...readList(annotations[METRICS], METRIC_FORMS)];
  const current = readList(annotations[CURRENT_METRICS], METRIC_STATUS_FORMS);
  const conditions = readList(annotations[CONDITIONS], CONDITION_FORMS);
  return {
    ...rest,
    ...(rest.apiVersion === undefined ? {} : { apiVersion: 'autoscaling/v2' }),
    metadata: { ...metadata, ...annotated(metadata.annotations, {}) },
    spec: {
      ...specRest,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(behavior === undefined || Object.keys(behavior).length === 0 ? {} : { behavior }),
    },
    status: {
      ...counts,
      currentMetrics: [...cpuStatus(currentCpu), ...current],
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}

function specV1(autoscaler: V2, cpu: number | undefined): SpecV1 {
  const {
    metrics: _,
    behavior: __,
    ...rest
  } = autoscaler.spec ?? { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 };
  return { ...rest, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) };
}

function isCpuUtilization(metric: MetricSpec): boolean {
  return metric.resource?.name === 'cpu' && typeof metric.resource.target.averageUtilization === 'number';
}

function isCpuStatus(metric: MetricStatus): boolean {
  return metric.resource?.name === 'cpu' && typeof metric.resource.current.averageUtilization === 'number';
}

function cpuMetric(averageUtilization: number | undefined | null): MetricSpec[] {
  if (averageUtilization === undefined || averageUtilization === null) return [];
  return [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }];
}

function cpuStatus(averageUtilization: number | undefined | null): MetricStatus[] {
  if (averageUtilization === undefined || averageUtilization === null) return [];
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } }];
}

function listText(list: readonly unknown[]): string | undefined {
  return list.length === 0 ? undefined : JSON.stringify(list);
}

/** Undefined for what is no JSON, too: upstream drops such annotations of a client. */
function parsed(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const V2_BEHAVIOR = 'autoscaling.v2.HorizontalPodAutoscalerBehavior';

/** A struct that an annotation lists, as it stands there and as it is stored. */
interface Forms<T> {
  readonly from: string;
  readonly to: string;
  readonly convert: (from: object) => T;
}

const METRIC_FORMS: Forms<MetricSpec> = {
  from: 'autoscaling.v1.MetricSpec',
  to: 'autoscaling.v2.MetricSpec',
  convert: fromV1Metric,
};
const METRIC_STATUS_FORMS: Forms<MetricStatus> = {
  from: 'autoscaling.v1.MetricStatus',
  to: 'autoscaling.v2.MetricStatus',
  convert: fromV1MetricStatus,
};
const CONDITION_FORMS: Forms<HorizontalPodAutoscalerCondition> = {
  from: 'autoscaling.v1.HorizontalPodAutoscalerCondition',
  to: 'autoscaling.v2.HorizontalPodAutoscalerCondition',
  convert: (condition) => condition as HorizontalPodAutoscalerCondition,
};

/** Annotations are a client's text as any body: what does not fit its struct is dropped as a whole, as what is no JSON. */
function readList<T>(text: string | undefined, { from, to, convert }: Forms<T>): readonly T[] {
  const items = parsed(text);
  if (!Array.isArray(items)) return [];
  const list: T[] = [];
  for (const given of items as readonly unknown[]) {
    const item = given ?? {};
    const one = read(item, from) === undefined ? undefined : read<T>(convert(withoutNulls(item) as object), to);
    if (one === undefined) return [];
    list.push(one);
  }
  return list;
}

/** Undefined for what is not there, or does not fit the struct. */
function read<T>(value: unknown, struct: string): T | undefined {
  if (value === undefined || value === null) return undefined;
  try {
    return schemas.decode<T>(struct, value).value;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** A member that is null is absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (item === null ? [] : [[name, withoutNulls(item)]])),
  );
}

type Annotations = { readonly [key: string]: string };

/** The annotations without those that conversion keeps for itself, and with these. */
function annotated(
  annotations: Annotations | undefined,
  kept: { readonly [key: string]: string | undefined },
): { annotations?: Annotations } {
  const entries = Object.entries(annotations ?? {}).filter(([key]) => !KEPT.has(key));
  for (const [key, value] of Object.entries(kept)) if (value !== undefined) entries.push([key, value]);
  if (entries.length > 0) return { annotations: Object.fromEntries(entries) };
  // Says so where there were some, as the others are gone now.
  return annotations === undefined ? {} : { annotations: {} };
}
