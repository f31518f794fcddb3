import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { formatTime } from '@binnacle/base';
import { JOBS } from '@binnacle/api';
import type { Job } from '@binnacle/api/batch/v1';
import { createTestWorld } from '../test-world.ts';
import { waitMs } from './wiring.ts';

const spec = {
  template: { metadata: {}, spec: { containers: [{ name: 'c', image: 'x' }], restartPolicy: 'Never' as const } },
  ttlSecondsAfterFinished: 60,
};

test('a job goes so long after its end; the time may be put off', async () => {
  const world = createTestWorld();
  const process = world.start(['ttl-after-finished-controller']);
  const jobs = world.client.resource(JOBS, 'default');
  for (const name of ['a', 'b', 'runs']) {
    const job = await jobs.create({ metadata: { name }, spec });
    if (name === 'runs') continue;
    const lastTransitionTime = formatTime(world.clock.now());
    world.api.setStatus(JOBS, job, { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime }] });
  }
  await world.run(50_000);
  await jobs.patch('b', 'merge', { spec: { ttlSecondsAfterFinished: 200 } });
  const going = (): readonly string[] =>
    world.api
      .objects(JOBS)
      .filter((job) => job.metadata.deletionTimestamp !== undefined)
      .map((job) => job.metadata.name ?? '');
  await world.run(20_000);
  assert.deepEqual(going(), ['a'], 'in the foreground');
  await world.run(200_000);
  assert.deepEqual(going(), ['a', 'b']);
  await process.kill();
});

test('who stays', () => {
  const end = { type: 'Failed', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
  const at = Date.parse('2026-01-01T00:00:10Z');
  for (const [name, job, wait] of [
    ['ended', { metadata: {}, spec, status: { conditions: [end] } }, 50_000],
    ['runs', { metadata: {}, spec }, undefined],
    ['going', { metadata: { deletionTimestamp: 'x' }, spec, status: { conditions: [end] } }, undefined],
    ['for ever', { metadata: {}, spec: { template: spec.template }, status: { conditions: [end] } }, undefined],
  ] as const satisfies readonly (readonly [string, Job, number | undefined])[]) {
    assert.equal(waitMs(job, at), wait, name);
  }
});
