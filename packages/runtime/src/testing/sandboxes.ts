import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuntimeError, RuntimeNotFoundError } from '../errors.ts';
import type { Bench } from './bench.ts';
import { plainSandbox } from './harness.ts';

export function sandboxTests(bench: Bench): void {
  lifeTests(bench);
  listTests(bench);
}

function lifeTests(bench: Bench): void {
  test('says who it is and that it is ready', async () => {
    const version = await bench.runtime.version();
    assert.notEqual(version.name, '');
    assert.notEqual(version.version, '');
    const status = await bench.runtime.status();
    assert.equal(status.runtime.ready, true);
    assert.equal(status.network.ready, true);
  });

  test('a sandbox runs, stops and goes; doing so again succeeds', async () => {
    const { runtime, harness } = bench;
    const uid = bench.newUid();
    const config = plainSandbox(harness, uid, { labels: { 'io.kubernetes.pod.uid': uid, tier: 'web' } });
    const id = bench.owns(await runtime.runSandbox({ ...config, annotations: { note: 'a "quoted" one' } }));
    const status = await runtime.sandboxStatus(id);
    assert.deepEqual(
      [status.id, status.name, status.namespace, status.uid, status.attempt],
      [id, config.name, 'default', uid, 0],
    );
    assert.equal(status.state, 'ready');
    assert.equal(status.labels['tier'], 'web');
    assert.equal(status.annotations['note'], 'a "quoted" one');
    assert.ok(status.createdAt > Date.UTC(2020, 0, 1) && status.createdAt < Date.UTC(2100, 0, 1));
    assert.equal(status.ips.length, 1);
    assert.match(status.ips[0] ?? '', /^\d+\.\d+\.\d+\.\d+$/);
    await runtime.stopSandbox(id);
    await runtime.stopSandbox(id);
    const stopped = await runtime.sandboxStatus(id);
    assert.equal(stopped.state, 'notReady');
    assert.deepEqual(stopped.ips, []);
    await runtime.removeSandbox(id);
    await runtime.removeSandbox(id);
    await runtime.stopSandbox(id);
    await assert.rejects(runtime.sandboxStatus(id), RuntimeNotFoundError);
    assert.deepEqual(await runtime.listSandboxes({ podUid: uid }), []);
  });

  test('the same pod and attempt twice is refused, the next attempt is not', async () => {
    const { runtime, harness } = bench;
    const config = plainSandbox(harness, bench.newUid());
    const first = bench.owns(await runtime.runSandbox(config));
    await assert.rejects(runtime.runSandbox(config), RuntimeError);
    await runtime.stopSandbox(first);
    const second = bench.owns(await runtime.runSandbox({ ...config, attempt: 1 }));
    assert.notEqual(first, second);
    const attempts = (await runtime.listSandboxes({ podUid: config.uid })).map((s) => s.attempt);
    assert.deepEqual(
      attempts.toSorted((a, b) => a - b),
      [0, 1],
    );
  });
}

function listTests(bench: Bench): void {
  test('two pods have two addresses, a host-network pod has none of its own', async () => {
    const { runtime, harness } = bench;
    const [a, b] = [await bench.sandbox(), await bench.sandbox()];
    const [ipA, ipB] = [(await runtime.sandboxStatus(a.id)).ips[0], (await runtime.sandboxStatus(b.id)).ips[0]];
    assert.notEqual(ipA, ipB);
    const config = plainSandbox(harness, bench.newUid(), {
      hostname: '',
      namespaces: { hostNetwork: true, hostPid: false, hostIpc: false, sharePid: false },
    });
    const host = bench.owns(await runtime.runSandbox(config));
    assert.deepEqual((await runtime.sandboxStatus(host)).ips, []);
  });

  test('lists are filtered by pod', async () => {
    const { runtime } = bench;
    const [a, b] = [await bench.sandbox(), await bench.sandbox()];
    assert.deepEqual(
      (await runtime.listSandboxes({ podUid: a.uid })).map((s) => s.id),
      [a.id],
    );
    const all = (await runtime.listSandboxes()).map((s) => s.id);
    assert.ok(all.includes(a.id) && all.includes(b.id));
    assert.deepEqual(await runtime.listSandboxes({ podUid: 'nobody' }), []);
  });

  test('stopping a sandbox ends its containers, removing it removes them', async () => {
    const { runtime, harness } = bench;
    const pod = await bench.pod(harness.stubborn);
    await runtime.stopSandbox(pod.sandboxId);
    assert.equal((await runtime.containerStatus(pod.containerId)).state, 'exited');
    await runtime.removeSandbox(pod.sandboxId);
    await assert.rejects(runtime.containerStatus(pod.containerId), RuntimeNotFoundError);
    assert.deepEqual(await runtime.listContainers({ podUid: pod.uid }), []);
  });
}
