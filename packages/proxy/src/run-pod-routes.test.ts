import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { NodePlace, PodNetwork, PodRoute } from '@binnacle/network';
import { runPodRoutes } from './run-pod-routes.ts';

class Recorded implements PodNetwork {
  readonly told: string[] = [];

  async keep(self: NodePlace, routes: readonly PodRoute[]): Promise<void> {
    this.told.push([self.addresses.join('+'), ...routes.map(({ range, node }) => `${range} by ${node}`)].join(', '));
  }

  async remove(): Promise<void> {
    this.told.push('removed');
  }
}

function node(name: string, podCIDR: string, address?: string): Node {
  const addresses = address === undefined ? [] : [{ type: 'InternalIP', address }];
  return { metadata: { name }, spec: { podCIDR, podCIDRs: [podCIDR] }, status: { addresses } } as unknown as Node;
}

test('ways follow nodes that come, move and go, and not what they say of themselves besides', async () => {
  const clock = new VirtualClock();
  const world = { clock, random: createSeededRandom(5), log: silentLogger };
  const wire = overFaultyNetwork(createMemoryApi(world), clock);
  wire.seed(NODES, node('a', '10.244.0.0/24'));
  wire.seed(NODES, node('b', '10.244.1.0/24', '192.0.2.2'));
  const scope = new Scope('pod routes', { log: silentLogger });
  const settle = () => clock.advance(3000);
  const network = new Recorded();
  const client = createClient(wire);
  const nodes = client.resource(NODES);
  const say = async (name: string, status: object): Promise<void> => {
    await nodes.patch(name, 'merge', { status }, { subresource: 'status' });
    await settle();
  };
  const at = (address: string): object => ({ addresses: [{ type: 'InternalIP', address }] });
  const running = runPodRoutes({ client, world, scope, network, mode: 'host-gw', nodeName: 'a', minSyncMs: 100 });
  await settle();
  assert.deepEqual(network.told, [], 'this node has no address yet');
  await say('a', at('192.0.2.1'));
  await say('b', { conditions: [{ type: 'Ready', status: 'True' }] });
  await say('b', at('192.0.2.7'));
  await say('b', at('192.0.2.7\nroute replace default via 192.0.2.66'));
  await say('b', {
    addresses: [...['fd00::1', '0192.0.2.9', '192.0.02.8'].map((address) => ({ type: 'InternalIP', address }))],
  });
  await nodes.delete('b');
  await settle();
  assert.deepEqual(network.told, [
    '192.0.2.1, 10.244.1.0/24 by 192.0.2.2',
    '192.0.2.1, 10.244.1.0/24 by 192.0.2.7',
    '192.0.2.1',
    '192.0.2.1, 10.244.1.0/24 by 192.0.2.8',
    '192.0.2.1',
  ]);
  assert.equal(running.report.failures, 0);
  await scope.close();
});
