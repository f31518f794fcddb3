import { names, parseQuantity } from '@binnacle/machinery';
import type { MetricIdentifier, MetricSpec, MetricTarget } from '../../generated/autoscaling-v2.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { validateReference } from './reference-validation.ts';

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
/** The field of each type, in the order in which upstream looks at them. */
const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;

/** One metric: of a known type, with what the type needs and nothing else. */
export function validateMetric(metric: MetricSpec, path: FieldPath, report: Report): void {
  const { type } = metric;
  if (!type) report.required(path.child('type'), 'must specify a metric source type');
  if (!TYPES.includes(type)) report.unsupported(path.child('type'), type, TYPES);
  const given = SOURCES.filter((source) => metric[source] !== undefined);
  if (given[0] !== undefined) VALIDATORS[given[0]](metric, path.child(given[0]), report);
  const wanted = type ? `${type.charAt(0).toLowerCase()}${type.slice(1)}` : '';
  if (!given.some((source) => source === wanted)) {
    report.required(path.child(wanted), 'must populate information for the given metric source');
  }
  if (given.length <= 1) return;
  for (const source of given) {
    if (source !== wanted) report.forbidden(path.child(source), 'must populate the given metric source only');
  }
}

type Validator = (metric: MetricSpec, path: FieldPath, report: Report) => void;

const VALIDATORS: { readonly [source in (typeof SOURCES)[number]]: Validator } = {
  object: ({ object }, path, report) => {
    validateReference(object?.describedObject ?? {}, path.child('describedObject'), report);
    validateIdentifier(object?.metric, path.child('metric'), report);
    validateTarget(object?.target, path.child('target'), report);
    if (object?.target?.value === undefined && object?.target?.averageValue === undefined) {
      report.required(path.child('target').child('averageValue'), 'must set either a target value or averageValue');
    }
  },
  external: ({ external }, path, report) => {
    validateIdentifier(external?.metric, path.child('metric'), report);
    validateTarget(external?.target, path.child('target'), report);
    const { value, averageValue } = external?.target ?? {};
    const target = path.child('target');
    if (value === undefined && averageValue === undefined) {
      report.required(target.child('averageValue'), 'must set either a target value for metric or a per-pod target');
    }
    if (value !== undefined && averageValue !== undefined) {
      report.forbidden(target.child('value'), 'may not set both a target value for metric and a per-pod target');
    }
  },
  pods: ({ pods }, path, report) => {
    validateIdentifier(pods?.metric, path.child('metric'), report);
    validateTarget(pods?.target, path.child('target'), report);
    const amount = pods?.target?.averageValue;
    if (amount === undefined || !isPositive(amount)) {
      report.required(path.child('target').child('averageValue'), 'must specify a positive target averageValue');
    }
  },
  resource: ({ resource }, path, report) => {
    if (!resource?.name) report.required(path.child('name'), 'must specify a resource name');
    validateResourceTarget(resource?.target, path.child('target'), report);
  },
  containerResource: ({ containerResource }, path, report) => {
    if (!containerResource?.name) report.required(path.child('name'), 'must specify a resource name');
    if (!containerResource?.container) report.required(path.child('container'), 'must specify a container');
    validateResourceTarget(containerResource?.target, path.child('target'), report);
  },
};

function validateResourceTarget(target: MetricTarget | undefined, path: FieldPath, report: Report): void {
  validateTarget(target, path, report);
  const { averageUtilization, averageValue } = target ?? {};
  if (averageUtilization === undefined && averageValue === undefined) {
    report.required(path.child('averageUtilization'), 'must set either a target raw value or a target utilization');
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    report.forbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization');
  }
}

function validateIdentifier(metric: MetricIdentifier | undefined, path: FieldPath, report: Report): void {
  if (!metric?.name) report.required(path.child('name'), 'must specify a metric name');
  else report.invalidEach(path.child('name'), metric.name, names.pathSegmentErrors(metric.name));
}

function validateTarget(target: MetricTarget | undefined, path: FieldPath, report: Report): void {
  const type = target?.type ?? '';
  if (type === '') report.required(path.child('type'), 'must specify a metric target type');
  if (!TARGET_TYPES.includes(type)) {
    report.invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue');
  }
  for (const field of ['value', 'averageValue'] as const) {
    const amount = target?.[field];
    if (amount !== undefined && !isPositive(amount)) report.invalid(path.child(field), amount, 'must be positive');
  }
  const utilization = target?.averageUtilization;
  if (utilization !== undefined && utilization < 1) {
    report.invalid(path.child('averageUtilization'), utilization, 'must be greater than 0');
  }
}

function isPositive(amount: string): boolean {
  return parseQuantity(amount).nano > 0n;
}
