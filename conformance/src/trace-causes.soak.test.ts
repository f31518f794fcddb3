/** Random workloads by the dozen, and longer ones: over each wire, in separate processes, and on a real etcd. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { harnesses, skipWithoutEtcd, startProcesses, startTestEtcd } from '@binnacle/testkit';
import type { TestCluster } from '@binnacle/testkit';
import { causesOfNow } from './trace-causes.ts';
import { runWorkload } from './trace-workload.ts';

const SEED = Date.now();
const ROUNDS = 8;
const ACTIONS = 60;

async function demandExplained(cluster: TestCluster, seed: number): Promise<void> {
  try {
    await runWorkload({ client: cluster.client, seed, actions: ACTIONS });
    const { commits, ofClients, wrong, byTime } = await causesOfNow(cluster.client.wire);
    assert.deepEqual(wrong, []);
    assert.deepEqual(byTime, [], 'nothing that people make is written by time alone');
    assert.ok(commits > 300 && ofClients > commits / 2, `${ofClients} of ${commits} come of clients`);
  } finally {
    await cluster.stop();
  }
}

describe('causes of many writes', () => {
  for (const harness of harnesses) {
    for (let seed = SEED; seed < SEED + ROUNDS; seed++) {
      test(`over ${harness.name} (seed ${seed})`, async () => {
        await demandExplained(await harness.start({ runtime: 'simulated', nodes: 3 }), seed);
      });
    }
  }

  test(`separate processes on etcd (seed ${SEED})`, { skip: skipWithoutEtcd() }, async () => {
    const etcd = await startTestEtcd();
    try {
      const storeFlags = ['--store', 'etcd', '--etcd-servers', etcd.endpoint];
      await demandExplained(await startProcesses({ runtime: 'simulated', nodes: 2, storeFlags }), SEED);
    } finally {
      await etcd.stop();
    }
  });
});
