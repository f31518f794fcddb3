import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS } from '@binnacle/api';
import { createApiServer } from '@binnacle/apiserver';
import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { createMemoryStore } from '@binnacle/store';

/** How many of an Event are left after so many seconds. */
async function left(eventTtlSeconds: number | undefined, seconds: number): Promise<number> {
  const clock = new VirtualClock();
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const store = createMemoryStore(world);
  const server = await createApiServer({
    store,
    ...world,
    ...(eventTtlSeconds === undefined ? {} : { eventTtlSeconds }),
  });
  const starting = server.bootstrap({ addresses: ['192.0.2.1'], port: 443 });
  await clock.advance(0);
  await starting;
  const events = createClient(server.clientAs({ name: 'admin', groups: ['system:masters'] })).resource(
    EVENTS,
    'default',
  );
  const about = { kind: 'Pod', name: 'a', namespace: 'default', apiVersion: 'v1' };
  await events.create({ metadata: { name: 'a' }, involvedObject: about, reason: 'Test', type: 'Normal' } as never);
  await clock.advance(seconds * 1000);
  const { items } = await events.list();
  await server.close();
  await store.close();
  return items.length;
}

test('Events live an hour, or as long as --event-ttl says', async () => {
  assert.equal(await left(undefined, 3500), 1);
  assert.equal(await left(undefined, 3700), 0);
  assert.equal(await left(60, 50), 1);
  assert.equal(await left(60, 180), 0);
});
