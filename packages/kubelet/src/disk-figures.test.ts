import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import { kubeletConfig } from './config.ts';
import { DiskFigures } from './disk-figures.ts';
import type { DiskPod } from './disk-figures.ts';
import type { DiskCount } from './figures.ts';
import { testPod } from './testing/node.ts';

const config = kubeletConfig({ nodeName: 'n', rootDirectory: '/k', podLogsDirectory: '/l' });
const podOf = (name: string): DiskPod => ({ pod: testPod({ name }), volumes: new Map() });

function bench(count: (path: string) => Promise<DiskCount>) {
  const clock = new VirtualClock();
  const files = { count };
  return { clock, figures: new DiskFigures({ files, machine: {}, config, clock, log: silentLogger }) };
}

test('a pod whose files take for ever, or cannot be looked at, keeps nobody from the figures of the others', async () => {
  const { clock, figures } = bench((path) => {
    if (path.includes('uid-slow')) return Promise.withResolvers<DiskCount>().promise;
    if (path.includes('uid-bad')) return Promise.reject(new RangeError('no'));
    return Promise.resolve({ bytes: 10, inodes: 1 });
  });
  const looked = figures.look(['slow', 'bad', 'good'].map(podOf));
  await clock.advance(2_000);
  const found = await looked;
  assert.deepEqual([...found.keys()], ['uid-good']);
  assert.deepEqual(found.get('uid-good')?.ephemeral, { bytes: 20, inodes: 2 });
});

test('those who ask at once are told of one count, and of pods that are gone nothing is kept', async () => {
  const asked: string[] = [];
  const { figures } = bench(async (path) => {
    asked.push(path);
    return { bytes: 1, inodes: 1 };
  });
  const [first, second] = await Promise.all([figures.look([podOf('a')]), figures.look([podOf('a')])]);
  assert.deepEqual(first, second);
  const once = asked.length;
  await figures.look([podOf('b')]);
  assert.equal(asked.length, 2 * once);
  await figures.look([podOf('a')]);
  assert.equal(asked.length, 3 * once);
});
