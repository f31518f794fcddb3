import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { Runtime } from '@binnacle/runtime';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { LogRotation } from './rotation.ts';

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
  const rotation = new LogRotation(options);
  for (let i = 0; i < 5; i++) {
    files.append('/l/0.log', 'more than ten bytes\n');
    await rotation.look([{ containerId: 'c', path: '/l/0.log' }]);
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
  const rotation = new LogRotation(options);
  files.append('/l/0.log', 'small');
  await rotation.look([{ containerId: 'c', path: '/l/0.log' }]);
  files.append('/l/0.log', ' and large');
  await rotation.look([{ containerId: 'c', path: '/l/0.log' }]);
  assert.deepEqual(await files.list('/l'), ['0.log']);
});

test('the way to a log is gone once, not at each look; what is gone is let go of', async () => {
  const files = createMemoryFiles();
  const held: string[] = [];
  const hold = files.hold.bind(files);
  files.hold = async (path) => {
    const file = await hold(path);
    held.push(`+${path}`);
    const close = async (): Promise<void> => void held.push(`-${path}`);
    return file === undefined ? undefined : { ...file, close };
  };
  files.size = () => assert.fail('a log that is held is not looked for');
  const runtime = { reopenLog: async () => files.append('/b', '') } as unknown as Runtime;
  const options = { runtime, files, clock: new VirtualClock(), log: silentLogger, maxBytes: 10, maxFiles: 3 };
  const rotation = new LogRotation(options);
  const logs = ['/a', '/b'].map((path) => ({ containerId: path, path }));
  for (const path of ['/a', '/b']) files.append(path, 'small');
  for (let i = 0; i < 9; i++) await rotation.look(logs);
  assert.deepEqual(held, ['+/a', '+/b']);
  await rotation.look(logs.slice(1));
  assert.deepEqual(held.splice(0), ['+/a', '+/b', '-/a']);
  files.append('/b', ' and large');
  await rotation.look(logs.slice(1));
  await rotation.look(logs.slice(1));
  assert.deepEqual(held.splice(0), ['-/b', '+/b'], 'the new one is another');
  await rotation.close();
  assert.deepEqual(held, ['-/b']);
});

test('another file that somebody put under the name of a log is found out', async () => {
  const files = createMemoryFiles();
  const reopened: string[] = [];
  const reopenLog = async (id: string): Promise<void> => {
    reopened.push(id);
    files.append('/a', '');
  };
  const runtime = { reopenLog } as unknown as Runtime;
  const options = { runtime, files, clock: new VirtualClock(), log: silentLogger, maxBytes: 10, maxFiles: 3 };
  const rotation = new LogRotation(options);
  files.append('/a', 'small');
  await rotation.look([{ containerId: 'c', path: '/a' }]);
  await files.remove('/a');
  files.append('/a', 'more than ten bytes');
  for (let i = 0; i < 30; i++) await rotation.look([{ containerId: 'c', path: '/a' }]);
  assert.deepEqual(reopened, ['c']);
});

test('a log that a killed kubelet renamed and did not open anew is opened by the next one', async () => {
  const files = createMemoryFiles();
  const opened: string[] = [];
  const reopenLog = async (id: string): Promise<void> => {
    opened.push(id);
    files.append('/l/0.log', '');
  };
  const killed = { reopenLog: () => Promise.withResolvers<void>().promise } as unknown as Runtime;
  const options = { files, clock: new VirtualClock(), log: silentLogger, maxBytes: 10, maxFiles: 3 };
  files.append('/l/0.log', 'more than ten bytes\n');
  void new LogRotation({ ...options, runtime: killed }).look([{ containerId: 'c', path: '/l/0.log' }]);
  for (let i = 0; i < 20; i++) await Promise.resolve();
  assert.deepEqual(await files.list('/l'), ['0.log.20260101-000000']);
  const next = new LogRotation({ ...options, runtime: { reopenLog } as unknown as Runtime });
  for (let i = 0; i < 3; i++) await next.look([{ containerId: 'c', path: '/l/0.log' }]);
  assert.deepEqual(opened, ['c']);
  assert.deepEqual([...(await files.list('/l'))].toSorted(), ['0.log', '0.log.20260101-000000']);
});
