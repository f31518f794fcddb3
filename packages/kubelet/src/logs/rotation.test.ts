import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { Runtime } from '@binnacle/runtime';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { rotateLogs } from './rotation.ts';

test('a log that is too large is renamed and opened anew; the oldest go', async () => {
  const clock = new VirtualClock();
  const files = createMemoryFiles();
  const reopened: string[] = [];
  const runtime = {
    reopenLog: async (id: string) => {
      reopened.push(id);
      files.append('/l/0.log', '');
    },
  } as unknown as Runtime;
  const options = { runtime, files, clock, log: silentLogger, maxBytes: 10, maxFiles: 3 };
  for (let i = 0; i < 5; i++) {
    files.append('/l/0.log', 'more than ten bytes\n');
    await rotateLogs(options, [{ containerId: 'c', path: '/l/0.log' }]);
    await clock.advance(10_000);
  }
  assert.equal(reopened.length, 5);
  assert.deepEqual([...(await files.list('/l'))].toSorted(), [
    '0.log',
    '0.log.20260101-000030',
    '0.log.20260101-000040',
  ]);
});

test('a small log is left, and a runtime that refuses gets its file back', async () => {
  const files = createMemoryFiles();
  const runtime = { reopenLog: () => Promise.reject(new RangeError('no')) } as unknown as Runtime;
  const options = { runtime, files, clock: new VirtualClock(), log: silentLogger, maxBytes: 10, maxFiles: 3 };
  files.append('/l/0.log', 'small');
  await rotateLogs(options, [{ containerId: 'c', path: '/l/0.log' }]);
  files.append('/l/0.log', ' and large');
  await rotateLogs(options, [{ containerId: 'c', path: '/l/0.log' }]);
  assert.deepEqual(await files.list('/l'), ['0.log']);
});
