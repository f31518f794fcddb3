import type { Draft } from '../draft.ts';
import type { HorizontalPodAutoscaler, HPAScalingRules } from '../generated/autoscaling-v2.ts';

/** Of the stored form, autoscaling/v2: 80 % of the requested CPU where no metric is named. */
export function defaultHorizontalPodAutoscaler(autoscaler: Draft<HorizontalPodAutoscaler>): void {
  const spec = autoscaler.spec;
  if (!spec) return;
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) {
    const target = { type: 'Utilization' as const, averageUtilization: 80 };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  if (!spec.behavior) return;
  defaultScaleUp((spec.behavior.scaleUp ??= {}));
  defaultScaleDown((spec.behavior.scaleDown ??= {}));
}

function defaultScaleUp(rules: Draft<HPAScalingRules>): void {
  rules.stabilizationWindowSeconds ??= 0;
  rules.selectPolicy ??= 'Max';
  rules.policies ??= [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ];
}

function defaultScaleDown(rules: Draft<HPAScalingRules>): void {
  rules.selectPolicy ??= 'Max';
  rules.policies ??= [{ type: 'Percent', value: 100, periodSeconds: 15 }];
}
