import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { createMemoryFiles } from './memory-files.ts';
import { sizeLimits } from './size-limits.ts';

test('limits are of folders on disk that have one', () => {
  const volumes = [
    { name: 'a', emptyDir: { sizeLimit: '1Ki' } },
    { name: 'b', emptyDir: {} },
    { name: 'c', emptyDir: { sizeLimit: '1Ki', medium: 'Memory' as const } },
    { name: 'd', hostPath: { path: '/' } },
  ];
  assert.deepEqual(sizeLimits(testPod({ spec: { volumes } }), '/k'), [
    { volume: 'a', path: '/k/pods/uid-web/volumes/kubernetes.io~empty-dir/a', bytes: 1024, text: '1Ki' },
  ]);
});

test('a pod whose emptyDir grows over its limit is evicted', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files, config: { rootDirectory: '/k' } });
  t.source.put(testPod({ spec: { volumes: [{ name: 'a', emptyDir: { sizeLimit: '1Ki' } }] } }));
  const path = '/k/pods/uid-web/volumes/kubernetes.io~empty-dir/a/file';
  await pass(t.clock, 500);
  await files.writeFile(path, new Uint8Array(1000));
  await pass(t.clock, 25_000);
  assert.equal(t.kubelet.pods()[0]?.status.phase, 'Running');
  await files.writeFile(path, new Uint8Array(1025));
  await pass(t.clock, 15_000);
  const { status } = t.kubelet.pods()[0] ?? {};
  const message = 'Usage of EmptyDir volume "a" exceeds the limit "1Ki". ';
  assert.deepEqual([status?.phase, status?.reason, status?.message], ['Failed', 'Evicted', message]);
  assert.ok(t.events.lines.includes(`Warning Evicted ${message}`));
  await t.scope.close();
});
