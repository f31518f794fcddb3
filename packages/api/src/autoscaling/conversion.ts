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
  const behavior = parsed<HorizontalPodAutoscalerBehavior>(annotations[BEHAVIOR]);
  const { targetCPUUtilizationPercentage: cpu, ...specRest } = spec ?? {
    scaleTargetRef: { kind: '', name: '' },
    maxReplicas: 0,
  };
  const { currentCPUUtilizationPercentage: currentCpu, ...counts } = status ?? {
    currentReplicas: 0,
    desiredReplicas: 0,
  };
  const metrics = [...cpuMetric(cpu), ...(parsed<object[]>(annotations[METRICS]) ?? []).map(fromV1Metric)];
  const current = (parsed<object[]>(annotations[CURRENT_METRICS]) ?? []).map(fromV1MetricStatus);
  const conditions = parsed<HorizontalPodAutoscalerCondition[]>(annotations[CONDITIONS]);
  return {
    ...rest,
    ...(rest.apiVersion === undefined ? {} : { apiVersion: 'autoscaling/v2' }),
    metadata: { ...metadata, ...annotated(metadata.annotations, {}) },
    spec: {
      ...specRest,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: {
      ...counts,
      currentMetrics: [...cpuStatus(currentCpu), ...current],
      ...(conditions === undefined ? {} : { conditions }),
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

/** Annotations of a client that are no JSON are taken as absent, as upstream drops them. */
function parsed<T>(text: string | undefined): T | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
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
