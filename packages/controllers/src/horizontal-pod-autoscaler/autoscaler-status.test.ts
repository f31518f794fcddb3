import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { HorizontalPodAutoscaler } from '@binnacle/api/autoscaling/v2';
import { StatusDraft } from './autoscaler-status.ts';

const autoscaler: HorizontalPodAutoscaler = {
  metadata: { name: 'a' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  status: { desiredReplicas: 2, currentMetrics: [], lastScaleTime: '2025-01-01T00:00:00Z' },
};

test('what is not said stays; a condition turns when its status does', () => {
  const first = new StatusDraft(autoscaler, Date.parse('2026-01-01T00:00:00Z'));
  first.say('AbleToScale', true, { reason: 'A', message: 'a' });
  const after = first.finish({ current: 2, metrics: [] });
  assert.deepEqual([after.status?.desiredReplicas, after.status?.lastScaleTime], [2, '2025-01-01T00:00:00Z']);
  const second = new StatusDraft(after, Date.parse('2026-01-01T01:00:00Z'));
  second.say('AbleToScale', true, { reason: 'B', message: 'b' });
  second.say('ScalingActive', false, { reason: 'C', message: 'c' });
  const { status } = second.finish({ current: 2, desired: 3, metrics: [], rescaled: true });
  assert.deepEqual(
    status?.conditions?.map(({ type, reason, lastTransitionTime }) => [type, reason, lastTransitionTime]),
    [
      ['AbleToScale', 'B', '2026-01-01T00:00:00Z'],
      ['ScalingActive', 'C', '2026-01-01T01:00:00Z'],
    ],
  );
  assert.deepEqual([status?.desiredReplicas, status?.lastScaleTime], [3, '2026-01-01T01:00:00Z']);
});

test('no metrics where there were none is no change, as it rests', () => {
  const currentMetrics = JSON.parse('null') as [];
  const before = { ...autoscaler, status: { desiredReplicas: 2, currentMetrics } };
  const now = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(new StatusDraft(before, now).finish({ current: 2, metrics: [] }).status?.currentMetrics, null);
  assert.equal(new StatusDraft(before, now).unchanged().status?.currentMetrics, null);
  const metrics = [{ type: '' }];
  assert.equal(new StatusDraft(before, now).finish({ current: 2, metrics }).status?.currentMetrics, metrics);
});
