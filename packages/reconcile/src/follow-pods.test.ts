import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger } from '@binnacle/base';
import { selectorFromObject } from '@binnacle/machinery';
import { PODS, REPLICA_SETS } from '@binnacle/api';
import { createInformer } from '@binnacle/client';
import { Expectations } from './expectations.ts';
import { followPods, podStateChanged } from './follow-pods.ts';
import { OWNERSHIP_INDEXES } from './pod-set/pod-index.ts';
import { setUpPods } from './test-pods.ts';

test('wakes whom a change concerns, urgently where pods come, go, end or change hands', async () => {
  const world = setUpPods();
  const { client, clock, wire } = world;
  const scope = new Scope('test');
  const of = { clock, random: createSeededRandom(1), log: silentLogger };
  const pods = createInformer(client, PODS, of);
  const owners = createInformer(client, REPLICA_SETS, of, { indexes: OWNERSHIP_INDEXES });
  const expectations = new Expectations(clock);
  const woken: string[] = [];
  followPods({
    ref: REPLICA_SETS,
    pods,
    owners,
    expectations,
    selector: (owner) => selectorFromObject(owner.spec.selector ?? {}),
    concerns: podStateChanged,
    wake: (owner, why) => woken.push(`${owner.metadata.name} ${why.trigger.what}${why.urgent ? '!' : ''}`),
  });
  owners.start(scope);
  pods.start(scope);
  await clock.advance(0);
  const step = async (name: string, expected: readonly string[], act: () => unknown): Promise<void> => {
    woken.length = 0;
    await act();
    await clock.advance(0);
    assert.deepEqual(woken, expected, name);
  };
  const condition = { type: 'Ready', status: 'True' as const };
  expectations.expectCreation('ns/web', 'own');
  await step('its own comes', ['web ADDED Pod ns/own!'], () => world.pod('own', { a: 'b' }));
  const own = await client.resource(PODS, 'ns').get('own');
  expectations.madeCreation('ns/web', 'own', own.metadata.uid ?? '');
  assert.ok(expectations.isSatisfied('ns/web'));
  await step('only readiness', ['web MODIFIED Pod ns/own'], () =>
    wire.setStatus(PODS, own, { conditions: [condition] }),
  );
  await step('a detail', [], () => wire.setStatus(PODS, own, { conditions: [condition], hostIP: '1.2.3.4' }));
  await step('it ended', ['web MODIFIED Pod ns/own!'], () => wire.setStatus(PODS, own, { phase: 'Failed' }));
  await step('an orphan that it selects', ['web ADDED Pod ns/orphan!'], () => world.pod('orphan', { a: 'b' }, false));
  await step('an orphan of nobody', [], () => world.pod('other', { a: 'c' }, false));
  await step('an orphan that it selects, and that goes', [], () =>
    wire.seed(PODS, {
      metadata: { name: 'going', namespace: 'ns', labels: { a: 'b' }, deletionTimestamp: '2026-01-01T00:00:00Z' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    }),
  );
  await step('it is selected no longer', ['web MODIFIED Pod ns/orphan!'], () =>
    client.resource(PODS, 'ns').patch('orphan', 'merge', { metadata: { labels: { a: 'c' } } }),
  );
  expectations.expectDeletion('ns/web', own.metadata.uid ?? '');
  await step('it went', ['web DELETED Pod ns/own!'], () => client.resource(PODS, 'ns').delete('own'));
  assert.ok(expectations.isSatisfied('ns/web'));
  await scope.close();
});

test('an owner whose selector cannot be read, stored as it was, costs the others no orphan', async () => {
  const world = setUpPods();
  const { client, clock, wire } = world;
  const scope = new Scope('test');
  const of = { clock, random: createSeededRandom(1), log: silentLogger };
  const pods = createInformer(client, PODS, of);
  const owners = createInformer(client, REPLICA_SETS, of, { indexes: OWNERSHIP_INDEXES });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  const matchExpressions = [{ key: 'a', operator: 'Near' as 'In', values: ['b'] }];
  // Behind it by name, and before it.
  for (const name of ['aged', 'zebra']) {
    wire.seed(REPLICA_SETS, {
      metadata: { name, namespace: 'ns' },
      spec: { selector: { matchExpressions }, template },
    });
  }
  const woken: string[] = [];
  followPods({
    ref: REPLICA_SETS,
    pods,
    owners,
    expectations: new Expectations(clock),
    selector: (owner) => selectorFromObject(owner.spec.selector ?? {}),
    concerns: podStateChanged,
    wake: (owner) => woken.push(owner.metadata.name ?? ''),
  });
  owners.start(scope);
  pods.start(scope);
  await clock.advance(0);
  world.pod('orphan', { a: 'b' }, false);
  await clock.advance(0);
  assert.deepEqual(woken, ['web']);
  await scope.close();
});
