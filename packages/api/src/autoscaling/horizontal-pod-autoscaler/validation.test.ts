import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkCreate, kindOf, objectOf, texts } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';
import { validateStatusUpdate } from '../../validate.ts';

const SCALER: Kind = ['autoscaling', 'HorizontalPodAutoscaler', true];
const spec = (fields: object): object => ({
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3, ...fields },
});
const metric = (fields: object): object => spec({ metrics: [fields] });
const AT = 'spec.metrics[0]';

// Provenance: upstream pkg/apis/autoscaling/validation/validation.go.
checkCreate('autoscalers', [
  ['right', 'ValidateHorizontalPodAutoscaler', SCALER, spec({})],
  [
    'wrong numbers',
    'validateHorizontalPodAutoscalerSpec',
    SCALER,
    spec({ minReplicas: 0, maxReplicas: -1 }),
    'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
    'spec.maxReplicas: Invalid value: -1: must be greater than 0',
    'spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`',
  ],
  [
    'no target',
    'ValidateCrossVersionObjectReference',
    SCALER,
    spec({ scaleTargetRef: {} }),
    'spec.scaleTargetRef.kind: Required value',
    'spec.scaleTargetRef.name: Required value',
  ],
  [
    'no metric',
    'validateMetricSpec',
    SCALER,
    metric({ type: 'Resource' }),
    `${AT}.resource: Required value: must populate information for the given metric source`,
  ],
  [
    'an unknown metric',
    'validateMetricSpec',
    SCALER,
    metric({ type: 'x', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } } }),
    `${AT}.type: Unsupported value: "x": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"`,
    `${AT}.resource.target.averageUtilization: Invalid value: 0: must be greater than 0`,
    `${AT}.x: Required value: must populate information for the given metric source`,
  ],
  [
    'two metrics in one',
    'validateMetricSpec',
    SCALER,
    metric({
      type: 'Pods',
      pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } },
      resource: {},
    }),
    `${AT}.resource: Forbidden: must populate the given metric source only`,
  ],
  [
    'a target of nothing',
    'validateObjectSource',
    SCALER,
    metric({
      type: 'Object',
      object: { describedObject: { kind: 'K', name: 'n' }, metric: {}, target: { type: 'x', value: '-1' } },
    }),
    `${AT}.object.metric.name: Required value: must specify a metric name`,
    `${AT}.object.target.type: Invalid value: "x": must be either Utilization, Value, or AverageValue`,
    `${AT}.object.target.value: Invalid value: "-1": must be positive`,
  ],
  [
    'both targets',
    'validateExternalSource',
    SCALER,
    metric({
      type: 'External',
      external: { metric: { name: 'm' }, target: { type: 'Value', value: '1', averageValue: '1' } },
    }),
    `${AT}.external.target.value: Forbidden: may not set both a target value for metric and a per-pod target`,
  ],
  [
    'rules',
    'validateScalingRules',
    SCALER,
    spec({
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 3601,
          selectPolicy: 'x',
          policies: [{ type: 'y', value: 0, periodSeconds: 1801 }],
        },
      },
    }),
    'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
    'spec.behavior.scaleUp.selectPolicy: Unsupported value: "x": supported values: "Disabled", "Max", "Min"',
    'spec.behavior.scaleUp.policies[0].type: Unsupported value: "y": supported values: "Percent", "Pods"',
    'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
    'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
  ],
]);

it('checks the counts of a status', () => {
  const scaler = objectOf(SCALER, { ...spec({}), status: { currentReplicas: -1, desiredReplicas: 1 } });
  assert.deepEqual(texts(validateStatusUpdate(kindOf(SCALER), scaler, objectOf(SCALER, spec({})))), [
    'status.currentReplicas: Invalid value: -1: must be greater than or equal to 0',
  ]);
});
