import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MetricStatus } from '../generated/autoscaling-v2.ts';
import { fromV1Metric, fromV1MetricStatus, toV1MetricStatus } from './v1-metrics.ts';

// Shapes: upstream autoscaling/v1 types, which annotations carry.
describe('metrics of autoscaling/v1', () => {
  const statuses: [name: string, status: MetricStatus, flat: object][] = [
    [
      'pods',
      { type: 'Pods', pods: { metric: { name: 'm' }, current: { averageValue: '5' } } },
      { type: 'Pods', pods: { metricName: 'm', currentAverageValue: '5' } },
    ],
    [
      'resource',
      { type: 'Resource', resource: { name: 'memory', current: { averageUtilization: 5, averageValue: '1Mi' } } },
      {
        type: 'Resource',
        resource: { name: 'memory', currentAverageUtilization: 5, currentAverageValue: '1Mi' },
      },
    ],
    [
      'object',
      {
        type: 'Object',
        object: { metric: { name: 'm' }, current: { value: '3' }, describedObject: { kind: 'K', name: 'n' } },
      },
      { type: 'Object', object: { target: { kind: 'K', name: 'n' }, metricName: 'm', currentValue: '3' } },
    ],
  ];
  for (const [name, status, flat] of statuses) {
    it(`status: ${name}`, () => {
      assert.deepEqual(toV1MetricStatus(status), flat);
      assert.deepEqual(fromV1MetricStatus(flat), status);
    });
  }

  it('an average of an object is its target, not the zero beside it', () => {
    const flat = {
      type: 'Object',
      object: { target: { kind: 'K', name: 'n' }, metricName: 'm', targetValue: '0', averageValue: '5' },
    };
    assert.deepEqual(fromV1Metric(flat).object?.target, { type: 'AverageValue', averageValue: '5' });
  });
});
