import { createTokenKeys } from '@binnacle/apiserver/node';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { ADMIN } from '@binnacle/cluster/identities';
import { startSimulatedCluster } from '@binnacle/cluster/simulated-cluster';
import { untilNodesReady } from '@binnacle/cluster/simulated-nodes';
import type { ClusterWish, Harness, TestCluster } from './cluster.ts';
import { TestkitError } from './errors.ts';

async function start(wish: ClusterWish): Promise<TestCluster> {
  if (wish.runtime !== 'simulated') throw new TestkitError('the in-process harness has simulated nodes only');
  const scope = new Scope('test-cluster', { log: silentLogger });
  const cluster = await startSimulatedCluster({
    world: { clock: realClock, random: secureRandom, log: silentLogger },
    scope,
    tokenKeys: createTokenKeys(),
    nodes: wish.nodes ?? 1,
  });
  const client = cluster.clientAs(ADMIN);
  await untilNodesReady(client, cluster.nodeNames, { clock: realClock, signal: scope.signal });
  return { client, stop: () => scope.close() };
}

/** Everything in the test's own process: no socket, no serialisation, cached objects frozen. */
export const inProcess: Harness = { name: 'the in-process wire', start };
