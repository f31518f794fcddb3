import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

function shown(metrics: Metrics): string[] {
  return metrics
    .render([])
    .split('\n')
    .filter((line) => line.startsWith('scheduler_') && !/_bucket.* 0$/.test(line))
    .map((line) => line.replace('scheduler_', ''));
}

test('what schedulers count stands under its labels; a series is one however often it is asked for', () => {
  const metrics = new Metrics({ monotonic: () => 0 });
  const { schedulers } = metrics;
  assert.deepEqual(shown(metrics), []);
  for (const by of [1, 2]) schedulers.tally('schedule_attempts_total', ['scheduled', 'p']).count += by;
  schedulers.tally('queue_incoming_pods_total', ['active', 'UnschedulablePodAdd']).count++;
  schedulers.tally('preemption_attempts_total', []).count++;
  assert.deepEqual(shown(metrics), [
    'schedule_attempts_total{result="scheduled",profile="p"} 3',
    'queue_incoming_pods_total{queue="active",event="UnschedulablePodAdd"} 1',
    'preemption_attempts_total 1',
  ]);
});

test('what schedulers measure has the buckets of upstream', () => {
  const metrics = new Metrics({ monotonic: () => 0 });
  const { schedulers } = metrics;
  const figures = [
    ['scheduling_attempt_duration_seconds', ['scheduled', 'p'], 15, '0.001', '16.384'],
    ['scheduling_algorithm_duration_seconds', [], 15, '0.001', '16.384'],
    ['pod_scheduling_sli_duration_seconds', ['1'], 20, '0.01', '5242.88'],
    ['pod_scheduling_attempts', [], 5, '1', '16'],
    ['preemption_victims', [], 7, '1', '64'],
    ['framework_extension_point_duration_seconds', ['Filter', 'Success', 'p'], 12, '0.0001', '0.2048'],
    ['plugin_execution_duration_seconds', ['NodeName', 'Filter', 'Success'], 20, '1e-05', '0.022168378200531'],
    ['permit_wait_duration_seconds', ['Success'], 15, '0.001', '16.384'],
  ] as const;
  for (const [figure, values] of figures) schedulers.spread(figure, values).observe(0);
  for (const [figure, , count, first, last] of figures) {
    const bounds = shown(metrics)
      .filter((line) => line.startsWith(`${figure}_bucket`))
      .map((line) => /[{,]le="([^"]+)"/.exec(line)?.[1] ?? '');
    assert.equal(bounds.length, count + 1, figure);
    assert.equal(bounds[0], first, figure);
    assert.ok(bounds.at(-2)?.startsWith(last), `${figure} ${String(bounds.at(-2))}`);
  }
});

test('gauges are read when somebody asks: of all schedulers together, and not of one that has ended', () => {
  const metrics = new Metrics({ monotonic: () => 0 });
  const end = metrics.schedulers.gauges((tell) => {
    tell('pending_pods', ['active'], 2);
    tell('unschedulable_pods', ['NodePorts', 'p'], 1);
    tell('unschedulable_pods', ['NodePorts', 'p'], 1);
  });
  metrics.schedulers.gauges((tell) => tell('pending_pods', ['active'], 3));
  assert.deepEqual(shown(metrics), [
    'pending_pods{queue="active"} 5',
    'unschedulable_pods{plugin="NodePorts",profile="p"} 2',
  ]);
  end();
  assert.deepEqual(shown(metrics), ['pending_pods{queue="active"} 3']);
});
