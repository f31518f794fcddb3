import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImagePullError, RuntimeError } from '../errors.ts';
import { plainSandbox } from '../testing/harness.ts';
import { PLACES, createPod, setUp } from './testing/scene.ts';

const D = 'simulated.binnacle.dev';

test('a scripted start takes its time', async () => {
  const { clock, runtime } = setUp();
  const id = await createPod(runtime, { [`${D}/start-delay`]: '200ms' });
  const starting = runtime.startContainer(id);
  await clock.advance(199);
  assert.equal((await runtime.containerStatus(id)).state, 'created');
  await clock.advance(1);
  await starting;
  assert.equal((await runtime.containerStatus(id)).state, 'running');
});

test('sandboxes and images fail as scripted', async () => {
  const { clock, runtime } = setUp();
  await assert.rejects(createPod(runtime, { [`${D}/sandbox-failure`]: 'no network' }), /no network/);
  await assert.rejects(createPod(runtime, { [`${D}/create-failure`]: 'no disk' }, 1), /no disk/);
  const failing = plainSandbox(PLACES, 'u2', { annotations: { [`${D}/pull-failure`]: 'denied' } });
  await assert.rejects(runtime.pullImage('a:1', failing), ImagePullError);
  const slow = plainSandbox(PLACES, 'u3', {
    annotations: { [`${D}/image-absent`]: 'true', [`${D}/pull-delay`]: '1s' },
  });
  assert.equal(await runtime.imageStatus('b:1', slow), undefined);
  const pull = runtime.pullImage('b:1', slow);
  await clock.advance(1000);
  assert.equal((await runtime.imageStatus('b:1', slow))?.id, await pull);
});

test('scripted commands, use and conditions', async () => {
  const { clock, node, runtime } = setUp();
  const id = await createPod(runtime, {
    [`${D}/exec-exit-code`]: '5',
    [`${D}/exec-output`]: 'said',
    [`${D}/cpu-usage-millicores`]: '250',
    [`${D}/memory-usage-bytes`]: '4096',
  });
  await runtime.startContainer(id);
  const result = await runtime.exec(id, ['anything'], 1000);
  assert.deepEqual([result.exitCode, new TextDecoder().decode(result.stdout)], [5, 'said']);
  await clock.advance(2000);
  assert.deepEqual(await runtime.stats(), [
    { id, cpuUsageNanos: 500_000_000, memoryWorkingSetBytes: 4096, memoryUsageBytes: 4096, at: clock.now() },
  ]);
  node.setCondition('network', { ready: false, reason: 'NetworkPluginNotReady', message: 'no plugin' });
  assert.equal((await runtime.status()).network.reason, 'NetworkPluginNotReady');
  node.endContainer(id, 9);
  assert.equal((await runtime.containerStatus(id)).exitCode, 9);
  assert.throws(() => node.endContainer('gone', 1), RuntimeError);
});
