import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotedFigures } from '../testing/figures.ts';
import { makePod } from '../testing/objects.ts';
import { queuedPod } from '../testing/queued.ts';
import { demandOf } from './demand.ts';
import { codeOf, ProfileMeter } from './profile-meter.ts';

const queued = queuedPod(demandOf(makePod('p')));

test('each point has the time since the one before; a decision has them together', () => {
  let now = 100;
  const figures = new NotedFigures();
  const meter = new ProfileMeter(figures, { profile: 'p', now: () => now });
  meter.begin(90);
  meter.lap('PreFilter', 'Success');
  now = 150;
  meter.lap('Filter', 'Success');
  meter.decided(90);
  meter.attempted('error', 60);
  const point = 'framework_extension_point_duration_seconds';
  assert.deepEqual(figures.measured, {
    scheduling_algorithm_duration_seconds: [0.06],
    [`${point} PreFilter Success p`]: [0.01],
    [`${point} Filter Success p`]: [0.05],
    'scheduling_attempt_duration_seconds error p': [0.06],
  });
  assert.deepEqual(figures.counted, { 'schedule_attempts_total error p': 1 });
});

test('a bound pod tells its tries, and how long it took since it was let in', () => {
  const figures = new NotedFigures();
  const meter = new ProfileMeter(figures, { profile: 'p', now: () => 0 });
  meter.bound({ ...queued, since: 1_000, attempts: 1, triedAt: 4_000 }, 5_000);
  meter.bound({ ...queued, since: 1_000, entered: 2_000, attempts: 2, triedAt: 4_500, wasFlushed: true }, 5_000);
  for (const attempts of [15, 16]) meter.bound({ ...queued, since: 0, attempts, triedAt: 5_000 }, 5_000);
  const took = 'pod_scheduling_sli_duration_seconds';
  assert.deepEqual(figures.measured, {
    pod_scheduling_attempts: [1, 2, 15, 16],
    'scheduling_attempt_duration_seconds scheduled p': [1, 0.5, 0, 0],
    [`${took} 1`]: [4],
    [`${took} 2`]: [3],
    [`${took} 15+`]: [5, 5],
  });
  assert.deepEqual(figures.counted, { 'schedule_attempts_total scheduled p': 4, pod_scheduled_after_flush_total: 1 });
});

test('what plugins say has upstream’s names', () => {
  const refusal = { plugin: 'x', reasons: [] };
  assert.deepEqual(
    [undefined, { ...refusal, unresolvable: false }, { ...refusal, unresolvable: true }].map((one) => codeOf(one)),
    ['Success', 'Unschedulable', 'UnschedulableAndUnresolvable'],
  );
});
