import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HorizontalPodAutoscaler as V1 } from '../generated/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler as V2 } from '../generated/autoscaling-v2.ts';
import { toAutoscalerV1, toAutoscalerV2 } from './conversion.ts';

const REF = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };

const SIMPLE_V1: V1 = {
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h', annotations: { a: 'b' } },
  spec: { scaleTargetRef: REF, minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 70 },
  status: { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 90 },
};

const SIMPLE_V2: V2 = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h', annotations: { a: 'b' } },
  spec: {
    scaleTargetRef: REF,
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }],
  },
  status: {
    currentReplicas: 1,
    desiredReplicas: 2,
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 90 } } }],
  },
};

const RICH_V2: V2 = {
  ...SIMPLE_V2,
  spec: {
    scaleTargetRef: REF,
    maxReplicas: 3,
    metrics: [
      { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '5' } } },
      {
        type: 'Object',
        object: { describedObject: REF, metric: { name: 'o' }, target: { type: 'Value', value: '7' } },
      },
      {
        type: 'External',
        external: {
          metric: { name: 'e', selector: { matchLabels: { a: 'b' } } },
          target: { type: 'Value', value: '9' },
        },
      },
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 50 } },
      },
    ],
    behavior: { scaleUp: { stabilizationWindowSeconds: 5 } },
  },
  status: {
    currentReplicas: 1,
    desiredReplicas: 1,
    currentMetrics: [],
    conditions: [{ type: 'AbleToScale', status: 'True' }],
  },
};

// Shapes: upstream pkg/apis/autoscaling/v1/conversion.go.
describe('the two forms of an autoscaler', () => {
  it('v1 to v2', () => assert.deepEqual(toAutoscalerV2(SIMPLE_V1), SIMPLE_V2));
  it('v2 to v1', () => assert.deepEqual(toAutoscalerV1(SIMPLE_V2), SIMPLE_V1));

  it('what v1 has no fields for travels in annotations', () => {
    const v1 = toAutoscalerV1(RICH_V2);
    const metrics: unknown = JSON.parse(v1.metadata.annotations?.['autoscaling.alpha.kubernetes.io/metrics'] ?? '');
    assert.deepEqual(metrics, [
      { type: 'Pods', pods: { metricName: 'm', targetAverageValue: '5' } },
      { type: 'Object', object: { target: REF, metricName: 'o', targetValue: '7' } },
      {
        type: 'External',
        external: { metricName: 'e', metricSelector: { matchLabels: { a: 'b' } }, targetValue: '9' },
      },
      { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', targetAverageUtilization: 50 } },
    ]);
    assert.deepEqual(toAutoscalerV2(v1), RICH_V2);
  });

  it('annotations that are no JSON are dropped', () => {
    const metadata = { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '{' } };
    const v2 = toAutoscalerV2({ ...SIMPLE_V1, metadata });
    assert.deepEqual(v2.metadata.annotations, {});
    assert.equal(v2.spec?.metrics?.length, 1);
  });
});
