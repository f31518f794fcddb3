import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuntimeError } from '@binnacle/runtime';
import type { Runtime } from '@binnacle/runtime';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';

const PLACE = { namespace: 'default', pod: 'web', container: 'main', uid: '' };

async function start(
  checkpoint: Runtime['checkpoint'],
): Promise<Awaited<ReturnType<typeof startTestNode>> & { files: ReturnType<typeof createMemoryFiles> }> {
  const clock = new VirtualClock();
  const files = createMemoryFiles();
  const node = createSimulatedNode({ clock, random: createSeededRandom(1) });
  const runtime = Object.assign(node.connect(), { checkpoint });
  const t = await startTestNode({ clock, files, node, runtime, config: { rootDirectory: '/k' } });
  t.source.put(testPod());
  await pass(clock, 500);
  return { ...t, files };
}

test('a container is written to a file of its own, in a folder that is closed to others', async () => {
  const asked: unknown[] = [];
  const t = await start(async (id, to) => void asked.push([id, to]));
  const id = t.kubelet.streams.container(PLACE);
  const location = '/k/checkpoints/checkpoint-web_default-main-2026-01-01T00:00:00Z.tar';
  assert.equal(await t.kubelet.streams.checkpoint(PLACE, 300), location);
  assert.deepEqual(asked, [[id, { location, seconds: 300 }]]);
  assert.equal(t.files.mode('/k/checkpoints'), 0o700);
  await t.scope.close();
});

test('what the runtime says against it is told', async () => {
  const t = await start(async () => {
    throw new RuntimeError('unknown method CheckpointContainer for service runtime.v1.RuntimeService');
  });
  await assert.rejects(t.kubelet.streams.checkpoint(PLACE, 0), /unknown method CheckpointContainer/);
  await t.scope.close();
});
