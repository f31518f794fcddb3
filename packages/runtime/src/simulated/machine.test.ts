import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPod, setUp } from './testing/scene.ts';

const D = 'simulated.binnacle.dev';

test('a running pod without a script holds no timer', async () => {
  const { clock, runtime } = setUp();
  await runtime.startContainer(await createPod(runtime, {}));
  assert.equal(clock.pending, 0);
});

test('a start fails as often as scripted', async () => {
  const { runtime } = setUp();
  const annotations = { [`${D}/start-failure`]: 'exec format error', [`${D}/start-failure-times`]: '1' };
  const first = await createPod(runtime, annotations);
  await assert.rejects(runtime.startContainer(first), new RegExp('exec format error'));
  const status = await runtime.containerStatus(first);
  assert.deepEqual([status.state, status.exitCode, status.reason], ['exited', 128, 'StartError']);
  const second = await createPod(runtime, annotations, 1);
  await runtime.startContainer(second);
  assert.equal((await runtime.containerStatus(second)).state, 'running');
});

test('an end with a reason, as often as scripted, and its timer goes with the pod', async () => {
  const { clock, runtime } = setUp();
  const annotations = {
    [`${D}/exit-after`]: '5s',
    [`${D}/exit-code`]: '137',
    [`${D}/exit-reason`]: 'OOMKilled',
    [`${D}/exit-times`]: '1',
  };
  const events: string[] = [];
  runtime.events({ event: (e) => void events.push(e.type), lost: () => assert.fail('lost') });
  const first = await createPod(runtime, annotations);
  await runtime.startContainer(first);
  assert.equal(clock.pending, 1);
  await clock.advance(5000);
  assert.equal((await runtime.containerStatus(first)).reason, 'OOMKilled');
  assert.deepEqual(events.slice(-2), ['oom', 'stopped']);
  await runtime.startContainer(await createPod(runtime, annotations, 1));
  assert.equal(clock.pending, 0);
});
