import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthMetrics } from './health-metrics.ts';

test('health checks as every component of Kubernetes tells of them', () => {
  const figures = new Map([
    ['ping', { isWell: true, success: 3, error: 0 }],
    ['syncloop', { isWell: false, success: 1, error: 2 }],
  ]);
  const lines = healthMetrics({ figures })
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  assert.deepEqual(lines, [
    'kubernetes_healthcheck{name="ping",type="healthz"} 1',
    'kubernetes_healthcheck{name="syncloop",type="healthz"} 0',
    'kubernetes_healthchecks_total{name="ping",status="success",type="healthz"} 3',
    'kubernetes_healthchecks_total{name="syncloop",status="success",type="healthz"} 1',
    'kubernetes_healthchecks_total{name="syncloop",status="error",type="healthz"} 2',
    '',
  ]);
  assert.equal(healthMetrics({ figures: new Map() }), '');
});
