import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bench } from './bench.ts';
import { EventLog } from './harness.ts';

export function adoptionTests(bench: Bench): void {
  test('a later connection finds, steers and hears what an earlier one made', async () => {
    const { harness } = bench;
    const pod = await bench.pod(harness.obedient);
    const before = await bench.runtime.containerStatus(pod.containerId);
    const other = await harness.connect();
    const heard = new EventLog();
    const subscription = other.events({ event: (e) => heard.event(e), lost: (e) => heard.lostEvents(e) });
    assert.deepEqual(
      (await other.listSandboxes({ podUid: pod.uid })).map((s) => s.id),
      [pod.sandboxId],
    );
    assert.deepEqual(
      (await other.listContainers({ podUid: pod.uid })).map((c) => c.id),
      [pod.containerId],
    );
    assert.deepEqual(await other.containerStatus(pod.containerId), before);
    await other.stopContainer(pod.containerId, 0);
    assert.equal((await heard.next('stopped', pod.containerId)).podUid, pod.uid);
    subscription.stop();
    await other.close();
    assert.equal((await bench.runtime.containerStatus(pod.containerId)).state, 'exited');
  });
}
