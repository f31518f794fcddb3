import type { FieldError } from '@binnacle/machinery';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../../generated/autoscaling-v2.ts';
import { isNegativeAmount } from '../../validation/numbers.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateMetric } from './metric-validation.ts';
import { validateReference } from './reference-validation.ts';

const SPEC = fieldPath('spec');
const STATUS = fieldPath('status');
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const WINDOW_SECONDS_MAX = 3600;
const PERIOD_SECONDS_MAX = 1800;

/** Of the stored form, autoscaling/v2. */
export function validateHorizontalPodAutoscaler({ spec }: HorizontalPodAutoscaler): FieldError[] {
  const report = new Report();
  validateReplicas(spec, report);
  validateReference(spec.scaleTargetRef ?? {}, SPEC.child('scaleTargetRef'), report);
  for (const [at, metric] of (spec.metrics ?? []).entries())
    validateMetric(metric, SPEC.child('metrics').index(at), report);
  for (const field of ['scaleUp', 'scaleDown'] as const) {
    const rules = spec.behavior?.[field];
    if (rules) validateRules(rules, SPEC.child('behavior').child(field), report);
  }
  return report.errors;
}

export function validateHorizontalPodAutoscalerStatusUpdate({ status }: HorizontalPodAutoscaler): FieldError[] {
  const report = new Report();
  report.nonNegative(STATUS.child('currentReplicas'), status?.currentReplicas);
  report.nonNegative(STATUS.child('desiredReplicas'), status?.desiredReplicas);
  return report.errors;
}

function validateReplicas(spec: HorizontalPodAutoscalerSpec, report: Report): void {
  const min = spec.minReplicas;
  const max = spec.maxReplicas ?? 0;
  if (min !== undefined && min < 1)
    report.invalid(SPEC.child('minReplicas'), min, 'must be greater than or equal to 1');
  if (max < 1) report.invalid(SPEC.child('maxReplicas'), max, 'must be greater than 0');
  if (min !== undefined && max < min) {
    report.invalid(SPEC.child('maxReplicas'), max, 'must be greater than or equal to `minReplicas`');
  }
}

function validateRules(rules: HPAScalingRules, path: FieldPath, report: Report): void {
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [], tolerance } = rules;
  const secondsPath = path.child('stabilizationWindowSeconds');
  if (seconds !== undefined && seconds < 0) {
    report.invalid(secondsPath, seconds, 'must be greater than or equal to zero');
  }
  if (seconds !== undefined && seconds > WINDOW_SECONDS_MAX) {
    report.invalid(secondsPath, seconds, `must be less than or equal to ${WINDOW_SECONDS_MAX}`);
  }
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy)) {
    report.unsupported(path.child('selectPolicy'), selectPolicy, SELECT_POLICIES);
  }
  const policiesPath = path.child('policies');
  if (policies.length === 0) report.required(policiesPath, 'must specify at least one Policy');
  for (const [at, policy] of policies.entries()) validatePolicy(policy, policiesPath.index(at), report);
  if (tolerance !== undefined && isNegativeAmount(tolerance)) {
    report.invalid(path.child('tolerance'), tolerance, 'must be greater than or equal to 0');
  }
}

function validatePolicy(policy: HPAScalingPolicy, path: FieldPath, report: Report): void {
  const { type } = policy;
  const [value, periodSeconds] = [policy.value ?? 0, policy.periodSeconds ?? 0];
  if (!POLICY_TYPES.includes(type)) report.unsupported(path.child('type'), type, POLICY_TYPES);
  if (value <= 0) report.invalid(path.child('value'), value, 'must be greater than zero');
  if (periodSeconds <= 0) report.invalid(path.child('periodSeconds'), periodSeconds, 'must be greater than zero');
  if (periodSeconds > PERIOD_SECONDS_MAX) {
    report.invalid(path.child('periodSeconds'), periodSeconds, `must be less than or equal to ${PERIOD_SECONDS_MAX}`);
  }
}
