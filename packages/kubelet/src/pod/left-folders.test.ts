import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeletConfig } from '../config.ts';
import { HandSource, pass, startTestNode, testMachine, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { leftPods } from './left-folders.ts';

test('what pods left that nobody knows goes, what a pod has stays, what is no pod is not touched', async () => {
  const files = createMemoryFiles();
  const config = { rootDirectory: '/k', podLogsDirectory: '/l' };
  const kept = ['/k/pods/uid-web/file', '/l/default_web_uid-web/main/7.log', '/l/other.log', '/l/no-pod/file'];
  // Named by a container that may write where logs are, so that others' folders are taken for a pod's.
  kept.push('/l/a_b_../file', '/l/a_b_./file', '/k/plugins/record');
  const gone = ['/k/pods/old/volumes/x', '/l/default_web_old/main/0.log', '/l/default_a_elder/main/0.log'];
  for (const path of [...kept, ...gone]) await files.writeFile(path, new Uint8Array());
  assert.deepEqual(
    [...(await leftPods({ config: { ...kubeletConfig({ nodeName: 'n' }), ...config } }, files))],
    ['uid-web', 'old', 'elder'],
  );
  const source = new HandSource();
  source.put(testPod());
  const groups: string[] = [];
  const removeCgroup = async (path: string): Promise<void> => void groups.push(path);
  const t = await startTestNode({ files, config, source, machine: { ...testMachine, removeCgroup } });
  await pass(t.clock, 500);
  const paths = new Set(files.paths());
  assert.deepEqual(
    [kept, gone].map((list) => list.filter((path) => paths.has(path))),
    [kept, []],
  );
  assert.deepEqual(groups.toSorted(), [
    ...['/kubepods/besteffort/podelder', '/kubepods/besteffort/podold'],
    ...['/kubepods/burstable/podelder', '/kubepods/burstable/podold', '/kubepods/podelder', '/kubepods/podold'],
  ]);
  await t.scope.close();
});
