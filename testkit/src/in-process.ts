import { join } from 'node:path';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { startComponents } from '@binnacle/cluster/components';
import { startControlPlane } from '@binnacle/cluster/control-plane';
import { ADMIN, NODE_FLEET } from '@binnacle/cluster/identities';
import { startSimulatedNodes, untilNodesReady } from '@binnacle/cluster/nodes';
import type { ClusterWish, Harness, TestCluster } from './cluster.ts';
import { TestkitError } from './errors.ts';
import { makeFolder } from './folder.ts';

async function start(wish: ClusterWish): Promise<TestCluster> {
  if (wish.runtime !== 'simulated') throw new TestkitError('the in-process harness has simulated nodes only');
  const folder = makeFolder();
  const scope = new Scope('test-cluster', { log: silentLogger });
  const world = { clock: realClock, random: secureRandom, log: silentLogger };
  const plane = await startControlPlane({
    world,
    scope,
    pki: join(folder.path, 'pki'),
    store: { engine: 'memory' },
    assertions: true,
  });
  startComponents(plane, world, scope);
  const nodes = startSimulatedNodes({
    count: wish.nodes ?? 1,
    client: plane.clientAs(NODE_FLEET),
    world,
    scope: scope.child('nodes'),
  });
  for (const kubelet of nodes) plane.nodes.add(kubelet);
  const client = plane.clientAs(ADMIN);
  await untilNodesReady(
    client,
    nodes.map((n) => n.nodeName),
    scope.signal,
  );
  return {
    client,
    stop: async () => {
      await scope.close();
      folder.remove();
    },
  };
}

/** Everything in the test's own process: no socket, no serialisation, cached objects frozen. */
export const inProcess: Harness = { name: 'the in-process wire', start };
