import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { LEASES } from '@binnacle/api';
import { createClient } from './client.ts';
import { runLeaderElection } from './leader-election.ts';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from './testing/faulty-wire.ts';

function setUp() {
  const clock = new VirtualClock();
  const random = createSeededRandom(11);
  const server = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const log: string[] = [];
  const stand = (identity: string) => {
    const wire = server.connect();
    const scope = new Scope(identity);
    const options = { world: { clock, random, log: silentLogger }, namespace: 'kube-system', name: 'x', identity };
    runLeaderElection({ ...options, client: createClient(wire) }, scope, (term) => {
      log.push(`${identity} leads`);
      term.defer(() => void log.push(`${identity} stops`));
    });
    return { wire, scope };
  };
  return { clock, server, log, stand };
}

test('one leads, the other takes over when it goes', async () => {
  const { clock, server, log, stand } = setUp();
  const a = stand('a');
  await clock.advance(0);
  const b = stand('b');
  await clock.advance(60_000);
  assert.deepEqual(log, ['a leads']);
  const closing = a.scope.close();
  await clock.advance(0);
  await closing;
  await clock.advance(5000);
  assert.deepEqual(log, ['a leads', 'a stops', 'b leads']);
  assert.deepEqual(
    [server.objects(LEASES)[0]?.spec.holderIdentity, server.objects(LEASES)[0]?.spec.leaseTransitions],
    ['b', 1],
  );
  const end = b.scope.close();
  await clock.advance(0);
  await end;
});

test('a leader cut off stops before another may start', async () => {
  const { clock, log, stand } = setUp();
  const a = stand('a');
  await clock.advance(0);
  const b = stand('b');
  await clock.advance(1000);
  a.wire.kill();
  await clock.advance(12_500);
  assert.deepEqual(log, ['a leads', 'a stops']);
  await clock.advance(10_000);
  assert.deepEqual(log, ['a leads', 'a stops', 'b leads']);
  for (const one of [a, b]) {
    const end = one.scope.close();
    await clock.advance(0);
    await end;
  }
});
