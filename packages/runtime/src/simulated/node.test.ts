import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, createSeededRandom } from '@binnacle/base';
import { RuntimeUnavailableError } from '../errors.ts';
import { createSimulatedRuntime } from './node.ts';
import { createPod } from './testing/scene.ts';

const D = 'simulated.binnacle.dev';

test('a closed runtime is not available; its own node ends with it', async () => {
  const clock = new VirtualClock();
  const runtime = createSimulatedRuntime({ clock, random: createSeededRandom(1) });
  await runtime.startContainer(await createPod(runtime, { [`${D}/exit-after`]: '1h' }));
  assert.equal(clock.pending, 1);
  await runtime.close();
  assert.equal(clock.pending, 0);
  await assert.rejects(runtime.version(), RuntimeUnavailableError);
});
