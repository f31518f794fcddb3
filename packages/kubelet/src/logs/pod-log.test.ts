import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogError } from '../errors.ts';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';

const options = { follow: false, previous: false, timestamps: false, stream: 'All' } as const;

test('the log of the container that runs, and of the one before', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files, config: { podLogsDirectory: '/l' } });
  t.source.put(testPod());
  await pass(t.clock, 100);
  files.append('/l/default_web_uid-web/main/0.log', '2026-01-01T00:00:01Z stdout F first\n');
  t.node.endContainer((await t.runtime.listContainers())[0]!.id, 1);
  await pass(t.clock, 100);
  files.append('/l/default_web_uid-web/main/1.log', '2026-01-01T00:00:02Z stdout F second\n');
  const read = async (previous: boolean): Promise<string> => {
    let out = '';
    for await (const part of t.kubelet.logs({ namespace: 'default', pod: 'web', options: { ...options, previous } }))
      out += new TextDecoder().decode(part);
    return out;
  };
  assert.deepEqual([await read(false), await read(true)], ['second\n', 'first\n']);
  assert.throws(
    () => t.kubelet.logs({ namespace: 'default', pod: 'no', options }),
    (error) => error instanceof LogError && error.httpCode === 404,
  );
  await t.scope.close();
});

test('logs are rotated while containers run', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files, config: { podLogsDirectory: '/l', logMaxBytes: 100 } });
  t.source.put(testPod());
  await pass(t.clock, 100);
  const path = '/l/default_web_uid-web/main/0.log';
  files.append(path, `2026-01-01T00:00:01Z stdout F ${'x'.repeat(200)}\n`);
  await pass(t.clock, 11_000);
  assert.ok((await files.list('/l/default_web_uid-web/main')).some((n) => n.startsWith('0.log.')));
  await t.scope.close();
});

test('a node without files has no logs', async () => {
  const t = await startTestNode();
  t.source.put(testPod());
  await pass(t.clock, 100);
  assert.throws(
    () => t.kubelet.logs({ namespace: 'default', pod: 'web', options }),
    (error) => error instanceof LogError && error.httpCode === 501,
  );
  await t.scope.close();
});
