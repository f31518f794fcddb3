import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { detectContainerd, readHostFacts } from './host.ts';
import { layoutOf } from './layout.ts';
import { dropMountNamespace, keepMountNamespace, stateWithin } from './mounts.ts';

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

test('everybody comes to where the state is in the namespace; one of an earlier release has it where it was', async () => {
  const root = makeTestFolder().path;
  const layout = layoutOf(join(root, 'containerd'));
  const { found } = await detectContainerd();
  const host = await readHostFacts(root, found);
  assert.equal(await stateWithin(layout), layout.state);
  try {
    await keepMountNamespace(layout, host, []);
    const state = await stateWithin(layout);
    await writeFile(join(layout.state, 'file'), 'seen');
    // Somebody without rights of ours, for whom the folder of the test itself is closed.
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const read = (path: string): Promise<{ readonly stdout: string }> =>
      run('nsenter', [`--mount=${layout.namespace}`, ...asNobody, 'cat', path]);
    assert.equal((await read(join(state, 'file'))).stdout, 'seen');
    await assert.rejects(read(join(layout.state, 'file')), /Permission denied/);
  } finally {
    await dropMountNamespace(layout, []);
    await rm(root, { recursive: true });
  }
});
