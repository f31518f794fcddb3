/** Every write leads back to somebody's request or to a timer, whatever is done and however the components are connected. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { harnesses } from '@binnacle/testkit';
import { causesOfNow } from './trace-causes.ts';
import { runWorkload } from './trace-workload.ts';

const SEED = 7;

describe('causes of writes', () => {
  for (const harness of harnesses) {
    test(`over ${harness.name}: what is done by chance explains what was written (seed ${SEED})`, async () => {
      const cluster = await harness.start({ runtime: 'simulated', nodes: 2 });
      try {
        const { client } = cluster;
        await runWorkload({ client, seed: SEED, actions: 16 });
        const { commits, ofClients, wrong } = await causesOfNow(client.wire);
        assert.deepEqual(wrong, []);
        assert.ok(commits > 100 && ofClients > commits / 2, `${ofClients} of ${commits} come of clients`);
      } finally {
        await cluster.stop();
      }
    });
  }
});
