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
    conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
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

  const KEPT = 'autoscaling.alpha.kubernetes.io/';
  const UNFIT: readonly (readonly [name: string, texts: readonly string[]])[] = [
    [
      'metrics',
      ['{}', '5', '"a"', '[5]', '[[]]', '[{"type":5}]', '[{"pods":7}]', '[{"pods":{"targetAverageValue":{}}}]'],
    ],
    ['current-metrics', ['{}', '5', '[5]', '[{"resource":[]}]', '[{"pods":{"currentAverageValue":"x"}}]']],
    ['conditions', ['{}', '5', '[5]', '[{"type":{}}]', '[{"lastTransitionTime":5}]']],
    [
      'behavior',
      ['[]', '5', '{}', 'null', '{"scaleUp":5}', '{"scaleUp":{"policies":{}}}', '{"scaleUp":{"tolerance":[]}}'],
    ],
  ];
  for (const [name, texts] of UNFIT)
    for (const text of texts)
      it(`an annotation of ${name} that is none is dropped: ${text}`, () => {
        const metadata = { ...SIMPLE_V1.metadata, annotations: { a: 'b', [KEPT + name]: text } };
        assert.deepEqual(toAutoscalerV2({ ...SIMPLE_V1, metadata }), SIMPLE_V2);
      });

  it('an item of an annotation that is null is an empty one, and what is not known of it is left out', () => {
    const annotations = {
      [`${KEPT}metrics`]: '[null]',
      [`${KEPT}current-metrics`]: '[{"type":"Pods","pods":null,"more":1}]',
      [`${KEPT}conditions`]: '[null]',
    };
    const { spec, status } = toAutoscalerV2({ ...SIMPLE_V1, metadata: { annotations } });
    assert.deepEqual(spec?.metrics?.[1], { type: '' });
    assert.deepEqual(status?.currentMetrics?.[1], { type: 'Pods' });
    assert.deepEqual(status?.conditions, [{ type: '', status: '', lastTransitionTime: null }]);
  });
});
