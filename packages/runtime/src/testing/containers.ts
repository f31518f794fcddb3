import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExecTimeoutError, RuntimeError, RuntimeNotFoundError } from '../errors.ts';
import type { Bench } from './bench.ts';
import { plainContainer, plainSandbox } from './harness.ts';

export function containerTests(bench: Bench): void {
  lifeTests(bench);
  listTests(bench);
  stopTests(bench);
  execTests(bench);
}

function lifeTests(bench: Bench): void {
  test('a container is created, then runs, with its fields in the status', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient, { start: false });
    const created = await runtime.containerStatus(pod.containerId);
    assert.equal(created.state, 'created');
    assert.deepEqual([created.startedAt, created.finishedAt], [0, 0]);
    await runtime.startContainer(pod.containerId);
    const running = await runtime.containerStatus(pod.containerId);
    assert.equal(running.state, 'running');
    assert.ok(running.startedAt >= running.createdAt && running.createdAt > 0);
    assert.equal(running.finishedAt, 0);
    assert.deepEqual([running.id, running.name, running.attempt], [pod.containerId, 'main', 0]);
    assert.equal(running.labels['io.kubernetes.container.name'], 'main');
    assert.match(running.imageRef, /sha256:[0-9a-f]{64}$/);
    assert.equal(running.logPath, `${harness.logDirectory(pod.uid)}/main/0.log`);
    await assert.rejects(runtime.startContainer(pod.containerId), RuntimeError);
  });

  for (const [code, reason] of [
    [0, 'Completed'],
    [3, 'Error'],
  ] as const) {
    test(`a container that exits with ${code} says so`, async () => {
      const { runtime, harness, events } = bench;
      const pod = await bench.pod(harness.exits(code));
      await harness.elapse(1000);
      await events.next('stopped', pod.containerId);
      const status = await runtime.containerStatus(pod.containerId);
      assert.deepEqual([status.state, status.exitCode, status.reason], ['exited', code, reason]);
      assert.ok(status.finishedAt >= status.startedAt && status.startedAt > 0);
      const log = await harness.readLog(status.logPath);
      assert.match(log, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d) stdout F hello\n$/);
    });
  }
}

function listTests(bench: Bench): void {
  test('a running container is written down, or why it cannot be is said; it goes on either way', async () => {
    const { runtime, harness } = bench;
    if (runtime.checkpoint === undefined) return;
    const { uid, containerId } = await bench.pod(harness.obedient);
    const location = `${harness.logDirectory(uid)}/checkpoint.tar`;
    await runtime.checkpoint(containerId, { location, seconds: 0 }).catch((error: unknown) => {
      assert.ok(error instanceof RuntimeError);
      assert.match(error.message, /checkpoint/i);
    });
    assert.equal((await runtime.containerStatus(containerId)).state, 'running');
    await assert.rejects(runtime.checkpoint('gone', { location, seconds: 0 }), RuntimeError);
  });

  test('what does not exist is not found', async () => {
    const { runtime, harness } = bench;
    const sandbox = plainSandbox(harness, bench.newUid());
    const config = plainContainer(harness.image, harness.obedient.command);
    await assert.rejects(runtime.containerStatus('gone'), RuntimeNotFoundError);
    await assert.rejects(runtime.startContainer('gone'), RuntimeNotFoundError);
    await assert.rejects(runtime.createContainer('gone', config, sandbox), RuntimeError);
    await assert.rejects(runtime.updateResources('gone', { cpuShares: 2 }), RuntimeNotFoundError);
  });

  test('lists are filtered by pod and by sandbox', async () => {
    const { runtime, harness } = bench;
    const [a, b] = [await bench.pod(harness.obedient), await bench.pod(harness.obedient)];
    const ids = async (filter?: { podUid?: string; sandboxId?: string }): Promise<string[]> =>
      (await runtime.listContainers(filter)).map((c) => c.id);
    assert.deepEqual(await ids({ podUid: a.uid }), [a.containerId]);
    assert.deepEqual(await ids({ sandboxId: b.sandboxId }), [b.containerId]);
    const all = await ids();
    assert.ok(all.includes(a.containerId) && all.includes(b.containerId));
    const [listed] = await runtime.listContainers({ podUid: a.uid });
    assert.deepEqual([listed?.state, listed?.sandboxId, listed?.name], ['running', a.sandboxId, 'main']);
  });

  test('several containers share a sandbox, and the next attempt has its own id', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    const sandbox = plainSandbox(harness, pod.uid);
    const side = plainContainer(harness.image, harness.obedient.command, 'side');
    const second = await runtime.createContainer(pod.sandboxId, side, sandbox);
    const third = await runtime.createContainer(pod.sandboxId, { ...side, attempt: 1, logPath: 'side/1.log' }, sandbox);
    assert.equal(new Set([pod.containerId, second, third]).size, 3);
    assert.equal((await runtime.listContainers({ sandboxId: pod.sandboxId })).length, 3);
    await assert.rejects(runtime.createContainer(pod.sandboxId, side, sandbox), RuntimeError);
  });

  test('resources change while it runs, and its use is reported', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    await runtime.updateResources(pod.containerId, { cpuShares: 512, memoryLimitBytes: 64 << 20 });
    const { cpuShares, memoryLimitBytes } = await runtime.containerResources(pod.containerId);
    assert.deepEqual([cpuShares, memoryLimitBytes], [512, 64 << 20]);
    const stats = (await runtime.stats()).find((s) => s.id === pod.containerId);
    assert.ok(stats !== undefined && stats.cpuUsageNanos >= 0 && stats.memoryWorkingSetBytes >= 0);
  });
}

function stopTests(bench: Bench): void {
  test('an obedient container ends before its grace is over', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    // Before it listens to the signal, the signal is lost.
    await runtime.exec(pod.containerId, ['sh', '-c', 'until [ -e /listening ]; do sleep 0.05; done'], 20_000);
    const stopping = runtime.stopContainer(pod.containerId, 30);
    await harness.elapse(500);
    await stopping;
    const status = await runtime.containerStatus(pod.containerId);
    assert.deepEqual([status.state, status.exitCode, status.reason], ['exited', 0, 'Completed']);
  });

  test('a stubborn container is killed after its grace', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.stubborn);
    const { startedAt } = await runtime.containerStatus(pod.containerId);
    const stopping = runtime.stopContainer(pod.containerId, 1);
    await harness.elapse(1000);
    await stopping;
    const status = await runtime.containerStatus(pod.containerId);
    assert.deepEqual([status.state, status.exitCode], ['exited', 137]);
    assert.ok(status.finishedAt - startedAt >= 990, `ended after ${status.finishedAt - startedAt} ms`);
  });

  test('no grace is a kill at once', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.stubborn);
    await runtime.stopContainer(pod.containerId, 0);
    assert.equal((await runtime.containerStatus(pod.containerId)).exitCode, 137);
  });

  test('stopping and removing are idempotent; removing ends what still runs', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    await runtime.stopContainer(pod.containerId, 0);
    await runtime.stopContainer(pod.containerId, 0);
    await runtime.removeContainer(pod.containerId);
    await runtime.removeContainer(pod.containerId);
    await runtime.stopContainer(pod.containerId, 0);
    const running = await bench.pod(harness.stubborn);
    await runtime.removeContainer(running.containerId);
    await assert.rejects(runtime.containerStatus(running.containerId), RuntimeNotFoundError);
  });
}

function execTests(bench: Bench): void {
  test('a command runs in the container, with its code and output', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    assert.equal((await runtime.exec(pod.containerId, ['true'], 5000)).exitCode, 0);
    assert.equal((await runtime.exec(pod.containerId, ['false'], 5000)).exitCode, 1);
    assert.equal((await runtime.exec(pod.containerId, ['sh', '-c', 'exit 7'], 5000)).exitCode, 7);
    const echo = await runtime.exec(pod.containerId, ['echo', 'Grüße'], 5000);
    assert.equal(new TextDecoder().decode(echo.stdout), 'Grüße\n');
    assert.equal(echo.stderr.length, 0);
  });

  test('a command that takes too long is a timeout', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.obedient);
    const call = assert.rejects(runtime.exec(pod.containerId, ['sleep', '30'], 1000), ExecTimeoutError);
    await harness.elapse(1000);
    await call;
  });

  test('no command runs where nothing runs', async () => {
    const { runtime, harness } = bench;
    await assert.rejects(runtime.exec('gone', ['true'], 1000), RuntimeNotFoundError);
    const pod = await bench.pod(harness.obedient);
    await runtime.stopContainer(pod.containerId, 0);
    await assert.rejects(runtime.exec(pod.containerId, ['true'], 1000), RuntimeError);
  });
}
