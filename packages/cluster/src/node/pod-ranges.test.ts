import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '@binnacle/api';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { askForPodRanges } from './pod-ranges.ts';

function cluster(): { readonly clock: VirtualClock; readonly client: Client; readonly endWatches: () => void } {
  const clock = new VirtualClock();
  const api = overFaultyNetwork(createMemoryApi({ clock, random: createSeededRandom(1) }), clock);
  return { clock, client: createClient(api), endWatches: () => api.cutWatches(null) };
}

const BOTH = ['10.244.1.0/24', 'fd00::/64'];
const give = (client: Client): Promise<unknown> =>
  client.resource(NODES).patch('worker-1', 'merge', { spec: { podCIDR: BOTH[0], podCIDRs: BOTH } });

test('a node that is to come is made known, and waits for its ranges; the next time they are there', async () => {
  const { clock, client } = cluster();
  const { signal } = new AbortController();
  const asked = askForPodRanges(client, 'worker-1', { clock, signal });
  await clock.advance(100);
  await give(client);
  await clock.advance(100);
  assert.deepEqual(await asked, BOTH);
  const again = askForPodRanges(client, 'worker-1', { clock, signal });
  await clock.advance(100);
  assert.deepEqual(await again, BOTH);
});

test('a server that ends the watch meanwhile costs a moment, not the half minute', async () => {
  const { clock, client, endWatches } = cluster();
  const asked = askForPodRanges(client, 'worker-1', { clock, signal: new AbortController().signal });
  await clock.advance(100);
  endWatches();
  await give(client);
  await clock.advance(1000);
  assert.deepEqual(await asked, BOTH);
});

test('no range within half a minute, or a cluster that ends: nobody waits for ever', async () => {
  const { clock, client } = cluster();
  const stop = new AbortController();
  const late = assert.rejects(askForPodRanges(client, 'worker-1', { clock, signal: stop.signal }), {
    code: 'bad-range',
  });
  await clock.advance(31_000);
  await late;
  const stopped = assert.rejects(askForPodRanges(client, 'worker-1', { clock, signal: stop.signal }), /stopped/);
  await clock.advance(100);
  stop.abort(new Error('stopped'));
  await stopped;
});
