import assert from 'node:assert/strict';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { ADMIN } from '../identities.ts';
import { startSimulatedCluster } from '../simulated-cluster.ts';
import { seededTokenKeys } from './token-keys.ts';

/** A whole cluster of two simulated nodes under a virtual clock, for one test; nothing may be left of it. */
export async function withCluster(
  seed: number,
  act: (client: Client, clock: VirtualClock) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const scope = new Scope('cluster', { log: silentLogger });
  const world = { clock, random: createSeededRandom(seed), log: silentLogger };
  const starting = startSimulatedCluster({ world, scope, tokenKeys: seededTokenKeys(seed), nodes: 2 });
  await clock.advance(0);
  const client = (await starting).clientAs(ADMIN);
  await clock.advance(5_000);
  await act(client, clock);
  const closing = scope.close();
  await clock.advance(60_000);
  await closing;
  assert.equal(clock.pending, 0, 'no timer is left behind');
}
