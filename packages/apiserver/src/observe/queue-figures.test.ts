import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueFigures } from './queue-figures.ts';

test('a key that waits, is worked on, comes again meanwhile and is tried again', () => {
  let now = 100;
  const figures = new QueueFigures(() => now);
  const meter = figures.queue('deployment');
  meter.added('a');
  now += 2;
  meter.taken('a');
  meter.added('a');
  now += 0.5;
  const out: string[] = [];
  figures.render(out);
  for (const line of [
    'workqueue_adds_total{name="deployment"} 2',
    'workqueue_depth{name="deployment"} 1',
    'workqueue_unfinished_work_seconds{name="deployment"} 0.5',
    'workqueue_longest_running_processor_seconds{name="deployment"} 0.5',
    'workqueue_queue_duration_seconds_bucket{name="deployment",le="1"} 0',
    'workqueue_queue_duration_seconds_bucket{name="deployment",le="10"} 1',
  ])
    assert.ok(out.includes(line), `${line}\n— in —\n${out.join('\n')}`);
  meter.done('a');
  meter.retried();
  const again: string[] = [];
  figures.render(again);
  for (const line of [
    'workqueue_retries_total{name="deployment"} 1',
    'workqueue_unfinished_work_seconds{name="deployment"} 0',
    'workqueue_work_duration_seconds_sum{name="deployment"} 0.5',
  ])
    assert.ok(again.includes(line), `${line}\n— in —\n${again.join('\n')}`);
  assert.equal(figures.queue('deployment'), meter);
});

test('of a queue that is no more nothing waits, and nothing grows older', () => {
  let now = 0;
  const figures = new QueueFigures(() => now);
  const meter = figures.queue('job');
  for (const key of ['a', 'b', 'c']) meter.added(key);
  meter.taken('a');
  meter.ended();
  meter.done('a');
  now += 3600;
  const out: string[] = [];
  figures.render(out);
  for (const line of [
    'workqueue_adds_total{name="job"} 3',
    'workqueue_depth{name="job"} 0',
    'workqueue_unfinished_work_seconds{name="job"} 0',
    'workqueue_longest_running_processor_seconds{name="job"} 0',
  ])
    assert.ok(out.includes(line), `${line}\n— in —\n${out.join('\n')}`);
});
