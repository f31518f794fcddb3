import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readProcess } from '../containerd/processes.ts';
import { testbedScene } from '../containerd/testing/testbed-scene.ts';
import { TEST_IMAGE, criHarness } from '../containerd/testing/testbed.ts';
import { EventLog, plainContainer, plainSandbox } from '../testing/harness.ts';

const run = promisify(execFile);
const BUNDLES = 'ctd/state/io.containerd.runtime.v2.task/k8s.io';

const scene = testbedScene();

/** A container that has ended by CRI, and whose task runs: that a start is cut off at the right moment is left to chance elsewhere. */
async function hideTask(uid: string): Promise<{ sandboxId: string; id: string; pid: number }> {
  const { bed, runtime } = scene();
  const sandbox = plainSandbox(criHarness(bed), uid);
  const sandboxId = await runtime.runSandbox(sandbox);
  // The second time it stays; what was written the first time tells.
  const script = 'test -e /begun && exec sleep 1000; touch /begun';
  const id = await runtime.createContainer(sandboxId, plainContainer(TEST_IMAGE, ['sh', '-c', script]), sandbox);
  const log = new EventLog();
  const events = runtime.events({ event: (event) => log.event(event), lost: (error) => log.lostEvents(error) });
  await runtime.startContainer(id);
  await log.next('stopped', id);
  events.stop();
  // Answers once CRI has cleared away behind that end: until then it ends whatever task it finds.
  await runtime.stopContainer(id, 10);
  const address = bed.endpoint.replace('unix://', '');
  await run('ctr', ['-a', address, '-n', 'k8s.io', 'tasks', 'start', '--detach', '--null-io', id]);
  const pid = Number(await readFile(join(bed.folder, BUNDLES, id, 'init.pid'), 'utf8'));
  assert.equal((await runtime.containerStatus(id)).state, 'exited');
  await runtime.stopContainer(id, 0);
  assert.notEqual(await readProcess(pid), undefined, 'a stop does nothing to it');
  return { sandboxId, id, pid };
}

test('a container whose task runs though it has ended is removed, and its task with it', async () => {
  const { runtime } = scene();
  const { sandboxId, id, pid } = await hideTask('uid-1');
  await runtime.removeContainer(id);
  assert.equal(await readProcess(pid), undefined);
  assert.deepEqual(await runtime.listContainers({ podUid: 'uid-1' }), []);
  await runtime.removeSandbox(sandboxId);
});

test('a sandbox with such a container is removed', async () => {
  const { runtime } = scene();
  const { sandboxId, pid } = await hideTask('uid-2');
  await runtime.stopSandbox(sandboxId);
  await runtime.removeSandbox(sandboxId);
  assert.equal(await readProcess(pid), undefined);
  assert.deepEqual(await runtime.listSandboxes({ podUid: 'uid-2' }), []);
});

test('at a start such tasks end, and nothing else does', async () => {
  const { bed, runtime } = scene();
  const { sandboxId, id, pid } = await hideTask('uid-3');
  const sandbox = plainSandbox(criHarness(bed), 'uid-3');
  const config = plainContainer(TEST_IMAGE, ['sleep', '1000'], 'beside');
  const beside = await runtime.createContainer(sandboxId, config, sandbox);
  await runtime.startContainer(beside);
  await runtime.endHiddenTasks();
  assert.equal(await readProcess(pid), undefined);
  assert.equal((await runtime.containerStatus(beside)).state, 'running');
  assert.equal((await runtime.sandboxStatus(sandboxId)).state, 'ready');
  await runtime.removeContainer(id);
  await runtime.stopSandbox(sandboxId);
  await runtime.removeSandbox(sandboxId);
});
