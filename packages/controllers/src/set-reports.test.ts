import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { runDaemonSet, runParallelSet, runReplicaSet } from './test-scenario.ts';
import { createTestWorld } from './test-world.ts';
import type { TestWorld } from './test-world.ts';

const ROWS: readonly (readonly [
  controller: string,
  run: (world: TestWorld, count: number) => Promise<void>,
  most: number,
])[] = [
  ['daemonset-controller', runDaemonSet, 6],
  ['statefulset-controller', runParallelSet, 4],
  ['replicaset-controller', runReplicaSet, 2],
];

for (const [controller, run, most] of ROWS) {
  test(`${controller}: forty pods that become ready are not forty reports`, async () => {
    const world = createTestWorld();
    const process = world.start([controller]);
    await run(world, 40);
    const reports = world.network.calls.filter(
      ({ verb, subresource }) => verb === 'update' && subresource === 'status',
    );
    assert.ok(reports.length <= most, `${reports.length} reports`);
    await process.kill();
  });
}
