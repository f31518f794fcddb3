/** Jobs whose indexes become fewer and more while they run. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { isPodActive } from '@binnacle/api';
import { startFakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import { indexOf, job, jobs, pods, spec, WHICH } from './test-lives.ts';

test('indexes that are taken away go with their successes, and come back as new ones', async () => {
  const world = createTestWorld();
  const node = startFakeNode(world);
  node.ends = (pod) => (['0', '3', '4'].includes(indexOf(pod)) ? 'Succeeded' : undefined);
  const process = world.start(WHICH);
  const size = (count: number) => ({ completions: count, parallelism: count });
  await jobs(world).create({ metadata: { name: 'j' }, spec: spec({ completionMode: 'Indexed', ...size(5) }) });
  await world.run(10_000);
  const seen = (): unknown => [
    job(world)?.status?.succeeded,
    job(world)?.status?.completedIndexes,
    pods(world).filter(isPodActive).map(indexOf).toSorted(),
  ];
  assert.deepEqual(seen(), [3, '0,3,4', ['1', '2']]);
  await jobs(world).patch('j', 'merge', { spec: size(2) });
  await world.run(10_000);
  assert.deepEqual(seen(), [1, '0', ['1']]);
  node.ends = () => undefined;
  await jobs(world).patch('j', 'merge', { spec: size(4) });
  await world.run(10_000);
  assert.deepEqual(seen(), [1, '0', ['1', '2', '3']]);
  await process.kill();
});
