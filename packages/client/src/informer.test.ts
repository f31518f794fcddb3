import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createClient } from './client.ts';
import { createInformer } from './informer.ts';
import type { Informer } from './ports.ts';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from './testing/faulty-wire.ts';

function setUp() {
  const clock = new VirtualClock();
  const random = createSeededRandom(3);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const client = createClient(wire);
  const scope = new Scope('test');
  const world = { clock, random, log: silentLogger };
  return { clock, wire, client, scope, world, pods: client.resource(PODS, 'default') };
}

const pod = (name: string, node = '') => ({
  metadata: { name },
  spec: { containers: [{ name: 'a', image: 'x' }], ...(node === '' ? {} : { nodeName: node }) },
});

function record(informer: Informer<Pod>): string[] {
  const log: string[] = [];
  informer.subscribe({
    add: (object) => log.push(`add ${object.metadata.name}`),
    update: (_before, after) => log.push(`update ${after.metadata.name}`),
    remove: (object) => log.push(`remove ${object.metadata.name}`),
  });
  return log;
}

test('fills, follows, indexes', async () => {
  const { clock, wire, client, scope, world, pods } = setUp();
  await pods.create(pod('a', 'n1'));
  const informer = createInformer(client, PODS, world, {
    indexes: { node: (object) => (object.spec.nodeName ? [object.spec.nodeName] : []) },
  });
  const log = record(informer);
  informer.start(scope);
  await clock.advance(0);
  assert.equal(informer.synced, true);
  await informer.whenSynced(scope.signal);
  const made = await pods.create(pod('b'));
  wire.seed(PODS, { ...made, spec: { ...made.spec, nodeName: 'n1' } });
  await clock.advance(0);
  assert.deepEqual(
    [informer.countByIndex('node', 'n1'), informer.countByIndex('node', 'none')],
    [informer.byIndex('node', 'n1').length, 0],
  );
  assert.deepEqual(
    informer.byIndex('node', 'n1').map((object) => object.metadata.name),
    ['a', 'b'],
  );
  await pods.delete('a', { gracePeriodSeconds: 0 });
  await clock.advance(0);
  assert.deepEqual(log, ['add a', 'add b', 'update b', 'remove a']);
  assert.equal(informer.get('default/b')?.spec.nodeName, 'n1');
  assert.equal(informer.size, 1);
  await scope.close();
});

test('resumes after a cut without missing anything, and without telling anything twice', async () => {
  const { clock, wire, client, scope, world, pods } = setUp();
  const informer = createInformer(client, PODS, world);
  const log = record(informer);
  informer.start(scope);
  await clock.advance(5000);
  wire.cutWatches();
  await pods.create(pod('a'));
  await clock.advance(3000);
  wire.cutWatches(null);
  await pods.patch('a', 'merge', { metadata: { labels: { x: 'y' } } });
  await clock.advance(3000);
  assert.deepEqual(log, ['add a', 'update a']);
  assert.equal(wire.watchCount, 1);
  await scope.close();
  assert.equal(wire.watchCount, 0);
});

test('an expired version: starts over, and handlers hear what changed in the gap', async () => {
  const { clock, wire, client, scope, world, pods } = setUp();
  await pods.create(pod('kept'));
  await pods.create(pod('gone'));
  await pods.create(pod('replaced'));
  const informer = createInformer(client, PODS, world);
  informer.start(scope);
  await clock.advance(5000);
  const log = record(informer);
  log.length = 0;
  wire.cutWatches();
  await pods.delete('gone');
  await pods.delete('replaced');
  await pods.create(pod('replaced'));
  await pods.create(pod('new'));
  wire.compact();
  await clock.advance(60_000);
  assert.deepEqual(log.sort(), ['add new', 'add replaced', 'remove gone', 'remove replaced']);
  await scope.close();
});

test('a server without initial events is listed, one that ignores them too', async () => {
  for (const kind of ['refuses', 'ignores']) {
    const { clock, wire, world, scope } = setUp();
    const plain = {
      ...wire,
      watch: ((call, sink) => {
        if (call.query?.['sendInitialEvents'] === undefined) return wire.watch(call, sink);
        if (kind === 'refuses') queueMicrotask(() => sink.end(status.badRequest('unknown parameter')));
        return { stop: () => queueMicrotask(() => sink.end()) };
      }) as typeof wire.watch,
    };
    const client = createClient(plain);
    await client.resource(PODS, 'default').create(pod('a'));
    const informer = createInformer(client, PODS, world);
    informer.start(scope);
    await clock.advance(kind === 'refuses' ? 0 : 15_000);
    assert.equal(informer.size, 1, kind);
    await client.resource(PODS, 'default').create(pod('b'));
    await clock.advance(0);
    assert.equal(informer.size, 2, kind);
    await scope.close();
  }
});

test('a handler that fails costs the others nothing; a late subscriber hears what is there', async () => {
  const { clock, client, scope, world, pods } = setUp();
  const informer = createInformer(client, PODS, world);
  informer.subscribe({
    add: () => {
      assert.fail('bug of a handler');
    },
  });
  informer.start(scope);
  await clock.advance(0);
  await pods.create(pod('a'));
  await clock.advance(0);
  assert.deepEqual(record(informer), ['add a']);
  await scope.close();
});

test('keeps the projection only', async () => {
  const { clock, client, scope, world, pods } = setUp();
  const informer = createInformer(client, PODS, world, {
    project: (object) => ({ metadata: object.metadata, spec: { containers: [] } }),
  });
  informer.start(scope);
  await pods.create(pod('a'));
  await clock.advance(0);
  assert.deepEqual(informer.get('default/a')?.spec, { containers: [] });
  await scope.close();
});
