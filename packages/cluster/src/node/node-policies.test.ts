import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES, NETWORK_POLICIES, PODS } from '@binnacle/api';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import type { NftablesPolicies } from '@binnacle/network/nftables';
import { KUBE_PROXY, POLICY_READER } from '../identities.ts';
import { startSimulatedCluster } from '../simulated-cluster.ts';
import { seededTokenKeys } from '../testing/token-keys.ts';
import { startPolicies } from './node-policies.ts';

const MACHINE = { replace: () => Promise.resolve(), change: () => Promise.resolve() } as unknown as NftablesPolicies;

test('who keeps policies may read what they speak of: this node, and proxies where there are other machines', async () => {
  const clock = new VirtualClock();
  const scope = new Scope('cluster', { log: silentLogger });
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const starting = startSimulatedCluster({ world, scope, tokenKeys: seededTokenKeys(1), nodes: 1 });
  await clock.advance(0);
  const cluster = await starting;
  await clock.advance(5000);
  const clientAs = (user: UserInfo): Client => cluster.clientAs(user);
  const place = { nodeName: 'here', clientAs, world, scope };
  const read = async (user: UserInfo): Promise<void> => {
    const client = clientAs(user);
    for (const kind of [PODS, NAMESPACES, NETWORK_POLICIES] as const) await client.resource<KubeObject>(kind).list();
  };
  const alone = await startPolicies({ ...place, hasOtherMachines: false }, MACHINE);
  await clock.advance(5000);
  await alone.whenSynced();
  await read(POLICY_READER);
  await assert.rejects(read(KUBE_PROXY), { code: 'Forbidden' });
  await startPolicies({ ...place, hasOtherMachines: true }, MACHINE);
  await clock.advance(5000);
  await read(KUBE_PROXY);
  const closing = scope.close();
  await clock.advance(60_000);
  await closing;
});
