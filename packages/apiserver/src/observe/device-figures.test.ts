import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

function shown(metrics: Metrics): string[] {
  return metrics
    .render([])
    .split('\n')
    .filter((line) => line.includes('bindingconditions') && !/^#|_bucket.* 0$/.test(line));
}

test('waits for devices are told by profile, driver and how they ended; those that are ready anyway have no allocation', () => {
  const metrics = new Metrics({ monotonic: () => 0 });
  assert.deepEqual(shown(metrics), []);
  const devices = [
    { driver: 'gpu.example.com', awaited: true },
    { driver: 'gpu.example.com', awaited: true },
    { driver: 'nic.example.com', awaited: false },
  ];
  metrics.schedulers.devices.ended({ profile: 'p', status: 'success', seconds: 500, devices });
  metrics.schedulers.devices.ended({ profile: 'p', status: 'timeout', seconds: 600, devices: devices.slice(1, 2) });
  const labels = (driver: string, status: string): string => `{profile="p",driver="${driver}",status="${status}"`;
  const waits = (driver: string, status: string, [count, sum, le = '819.2']: readonly [number, number, string?]) => [
    `wait_duration_seconds_bucket${labels(driver, status)},le="${le}"} ${count}`,
    `wait_duration_seconds_bucket${labels(driver, status)},le="+Inf"} ${count}`,
    `wait_duration_seconds_sum${labels(driver, status)}} ${sum}`,
    `wait_duration_seconds_count${labels(driver, status)}} ${count}`,
  ];
  assert.deepEqual(
    shown(metrics).map((line) => line.replace('scheduler_dra_bindingconditions_', '')),
    [
      `allocations_total${labels('gpu.example.com', 'success')}} 2`,
      `allocations_total${labels('gpu.example.com', 'timeout')}} 1`,
      ...waits('gpu.example.com', 'success', [2, 1000]),
      ...waits('nic.example.com', 'success', [1, 500]),
      ...waits('gpu.example.com', 'timeout', [1, 600]),
    ],
  );
});
