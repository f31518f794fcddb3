import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, NO_FIGURES, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { FigureMeasures } from '@binnacle/base';
import { LEASES } from '@binnacle/api';
import { createClient } from './client.ts';
import type { Term } from './fenced-wire.ts';
import { runLeaderElection } from './leader-election.ts';
import type { Election } from './leader-election.ts';
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

/** One that leads, and its term. */
async function leading() {
  const clock = new VirtualClock();
  const random = createSeededRandom(11);
  const server = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const scope = new Scope('a');
  const terms: Term[] = [];
  const world = { clock, random, log: silentLogger };
  const client = createClient(server.connect());
  const options = { client, world, namespace: 'kube-system', name: 'x', identity: 'a' };
  runLeaderElection(options, scope, (_scope, term) => void terms.push(term));
  await clock.advance(0);
  const [term] = terms;
  assert.ok(term !== undefined);
  const close = async (): Promise<void> => {
    const end = scope.close();
    await clock.advance(0);
    await end;
  };
  return { clock, server, term, terms, leases: client.resource(LEASES, 'kube-system'), close };
}

test('a term outlives itself by taking its Lease anew, once for all who ask, and goes on', async () => {
  const { clock, server, term, terms, close } = await leading();
  const first = term.fence();
  assert.deepEqual(first, { namespace: 'kube-system', lease: 'x', holder: 'a', transitions: 0 });
  await clock.advance(6000);
  assert.equal(term.fence(), first, 'renewals change nothing');
  const both = Promise.all([term.outlive(first), term.outlive(first)]);
  await clock.advance(0);
  await both;
  assert.equal(term.fence().transitions, 1);
  assert.equal(server.objects(LEASES)[0]?.spec.leaseTransitions, 1);
  await term.outlive(first);
  assert.equal(term.fence().transitions, 1, 'it is otherwise already');
  await clock.advance(60_000);
  assert.equal(terms.length, 1);
  await close();
});

test('a Lease that somebody deletes is made again, and held as before', async () => {
  const { clock, server, term, terms, leases, close } = await leading();
  const before = term.fence();
  await leases.delete('x');
  await clock.advance(3000);
  assert.equal(server.objects(LEASES)[0]?.spec.holderIdentity, 'a');
  await clock.advance(60_000);
  assert.deepEqual([term.fence(), terms.length], [before, 1]);
  await close();
});

test('what waits for the end of a term that ends is told so', async () => {
  const { clock, server, term, close } = await leading();
  server.faults.call = () => ({ kind: 'lose-request' });
  const outlived = assert.rejects(term.outlive(term.fence()));
  await clock.advance(20_000);
  await outlived;
  server.faults.call = undefined;
  await close();
});

test('what a term sent does not arrive in the next one, though the Lease was never given back', async () => {
  const { clock, server, term, terms, close } = await leading();
  const before = term.fence();
  server.faults.call = () => ({ kind: 'lose-request' });
  await clock.advance(20_000);
  server.faults.call = undefined;
  await clock.advance(10_000);
  assert.equal(terms.length, 2);
  assert.deepEqual(terms[1]?.fence(), { ...before, transitions: 1 });
  assert.equal(server.objects(LEASES)[0]?.spec.leaseTransitions, 1);
  await close();
});

test('it is told who leads, how often a leader had to read its Lease, and of one that leads on without renewing', async () => {
  const clock = new VirtualClock();
  const random = createSeededRandom(12);
  const server = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const told = new Map<string, number>();
  const note = (name: string, labels: readonly string[], value: number): void =>
    void told.set(`${name} ${labels.join()}`, value);
  const figures: FigureMeasures = {
    ...NO_FIGURES,
    gauge: ({ name }) => ({
      set: (labels, value) => note(name, labels, value),
      drop: () => undefined,
      clear: () => undefined,
    }),
    counter: ({ name }) => ({
      add: (labels = []) => note(name, labels, (told.get(`${name} ${labels.join()}`) ?? 0) + 1),
    }),
  };
  const scope = new Scope('a');
  const world = { clock, random, log: silentLogger };
  const wire = server.connect();
  const options = { client: createClient(wire), world, namespace: 'kube-system', name: 'x', identity: 'a', figures };
  // A term that does not end when it should.
  const held = Promise.withResolvers<void>();
  const election: Election = runLeaderElection(options, scope, (term) => term.defer(() => held.promise));
  const status = (): number | undefined => told.get('leader_election_master_status x');
  assert.deepEqual([status(), election.isLeader, election.trouble()], [0, false, undefined]);
  await clock.advance(0);
  assert.deepEqual([status(), election.isLeader, election.trouble()], [1, true, undefined]);
  await clock.advance(10_000);
  assert.equal(told.get('leader_election_slowpath_total x'), undefined, 'a renewal reads nothing');
  server.faults.call = ({ verb }) => (verb === 'update' ? { kind: 'lose-request' } : undefined);
  await clock.advance(2_000);
  server.faults.call = undefined;
  await clock.advance(4_000);
  assert.equal(told.get('leader_election_slowpath_total x'), 1);
  wire.kill();
  await clock.advance(13_000);
  assert.equal(status(), 0, 'its term is over');
  await clock.advance(20_000);
  assert.equal(election.trouble(), undefined);
  await clock.advance(5_000);
  assert.equal(election.trouble(), 'failed election to renew leadership on lease x');
  held.resolve();
  const end = scope.close();
  await clock.advance(0);
  await end;
});
