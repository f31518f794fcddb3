import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { detectContainerd, readHostFacts } from './host.ts';
import { layoutOf } from './layout.ts';
import { dropMountNamespace, keepMountNamespace } from './mounts.ts';

const run = promisify(execFile);

test('what is mounted for pods is seen in a namespace that an earlier release made for another folder', async () => {
  const root = makeTestFolder().path;
  const layout = layoutOf(join(root, 'containerd'));
  const [kubelet, pods] = [join(root, 'kubelet'), join(root, 'kubelet', 'pods')];
  const volume = join(pods, 'volume');
  const { found } = await detectContainerd();
  const host = await readHostFacts(root, found);
  try {
    await keepMountNamespace(layout, host, [pods]);
    await keepMountNamespace(layout, host, [kubelet]);
    await mkdir(volume);
    await run('mount', ['-t', 'tmpfs', 'volume', volume]);
    const { stdout } = await run('nsenter', [`--mount=${layout.namespace}`, 'stat', '-f', '-c', '%T', volume]);
    assert.equal(stdout.trim(), 'tmpfs');
  } finally {
    await dropMountNamespace(layout, [volume, kubelet, pods]);
    await rm(root, { recursive: true });
  }
});
