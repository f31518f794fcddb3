import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { shown } from '../testing/seen.ts';

async function restartCountOf(pod: Pod): Promise<number | undefined> {
  const t = await startTestNode();
  t.source.put(pod);
  await pass(t.clock, 200);
  const count = t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.restartCount;
  await t.scope.close();
  return count;
}

test('after the node lost everything, restarts are counted on from what the API was told', async () => {
  assert.equal(await restartCountOf(testPod()), 0);
  const told = {
    containerStatuses: [shown('main', { restartCount: 4, containerID: 'containerd://x', state: { running: {} } })],
  };
  assert.equal(await restartCountOf(testPod({ status: told })), 5);
  assert.equal(
    await restartCountOf(testPod({ status: { containerStatuses: [shown('main', { restartCount: 0 })] } })),
    0,
  );
});

test("a container is told the pod's address", async () => {
  const t = await startTestNode();
  t.source.put(
    testPod({
      container: { env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }], command: ['$(IP)'] },
    }),
  );
  const configs: (readonly string[])[] = [];
  const create = t.runtime.createContainer.bind(t.runtime);
  t.runtime.createContainer = (sandbox, config, pod) => {
    configs.push(config.command);
    return create(sandbox, config, pod);
  };
  await pass(t.clock, 100);
  assert.deepEqual(configs, [[t.kubelet.pods()[0]?.status.podIP]]);
  await t.scope.close();
});
