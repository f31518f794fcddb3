import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bench } from './bench.ts';
import { EventLog } from './harness.ts';

export function eventTests(bench: Bench): void {
  test('the life of a container is told as it happens', async () => {
    const { harness, runtime, events } = bench;
    const pod = await bench.pod(harness.exits(4));
    assert.equal((await events.next('created', pod.containerId)).podUid, pod.uid);
    assert.equal((await events.next('started', pod.containerId)).podUid, pod.uid);
    await harness.elapse(1000);
    const stopped = await events.next('stopped', pod.containerId);
    assert.deepEqual([stopped.podUid, stopped.exitCode], [pod.uid, 4]);
    await runtime.removeContainer(pod.containerId);
    assert.equal((await events.next('deleted', pod.containerId)).podUid, pod.uid);
    assert.deepEqual(events.lost, []);
  });

  test('a sandbox that stops is told too', async () => {
    const { runtime, events } = bench;
    const { uid, id } = await bench.sandbox();
    assert.equal((await events.next('started', id)).podUid, uid);
    await runtime.stopSandbox(id);
    assert.equal((await events.next('stopped', id)).podUid, uid);
  });

  test('the end of a command in it is not its own', async () => {
    const { harness, runtime, events } = bench;
    const pod = await bench.pod(harness.obedient);
    await runtime.exec(pod.containerId, ['false'], 5000);
    await runtime.stopContainer(pod.containerId, 0);
    const stopped = await events.next('stopped', pod.containerId);
    assert.equal(stopped.exitCode, 137);
    const all = events.seen.filter((e) => e.type === 'stopped' && e.containerId === pod.containerId);
    assert.ok(all.every((e) => e.exitCode === 137));
  });

  test('a subscription that was stopped is silent, others go on', async () => {
    const { harness, runtime, events } = bench;
    const silent = new EventLog();
    runtime.events({ event: (e) => silent.event(e), lost: (e) => silent.lostEvents(e) }).stop();
    const pod = await bench.pod(harness.obedient);
    await events.next('started', pod.containerId);
    assert.deepEqual(silent.seen, []);
    assert.deepEqual(silent.lost, []);
  });
}
