import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { AssertionError, createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { createFaultyNetwork } from '@binnacle/client/testing';
import { Informers } from './informers.ts';

function setUp() {
  const clock = new VirtualClock();
  const random = createSeededRandom(5);
  const network = createFaultyNetwork(clock);
  const client = createClient(network.connect(createMemoryApi({ clock, random }).connect()));
  const scope = new Scope('test');
  const informers = new Informers({ client, world: { clock, random, log: silentLogger }, scope });
  const pod = {
    metadata: { name: 'a', labels: { app: 'x' } },
    spec: { containers: [{ name: 'c', image: 'x' }], nodeName: 'n1' },
  };
  return { clock, client, scope, informers, pod, network };
}

const byNode = { node: (pod: Pod) => [pod.spec.nodeName ?? ''] };
const byApp = { app: (pod: Pod) => [pod.metadata.labels?.['app'] ?? ''] };
const bare = (pod: Pod): Pod => ({ metadata: pod.metadata, spec: { containers: [{ name: 'c', image: 'x' }] } });

test('every reader gets its indexes, whatever the order of the declarations; nothing is asked before the start', async () => {
  const { clock, client, scope, informers, pod, network } = setUp();
  await client.resource(PODS, 'default').create(pod);
  const first = informers.need(PODS, { indexes: byNode });
  const second = informers.need(PODS, { indexes: byApp });
  assert.equal(first, second);
  await clock.advance(0);
  assert.equal(network.watchCount, 0);
  informers.start();
  await clock.advance(0);
  assert.equal(network.watchCount, 1);
  assert.equal(first.byIndex('node', 'n1').length, 1);
  assert.equal(first.byIndex('app', 'x').length, 1);
  await scope.close();
});

test('an index after the start, an undeclared index and one name for two indexes are our own bugs', async () => {
  const { scope, informers } = setUp();
  const pods = informers.need(PODS, { indexes: byNode });
  assert.throws(() => informers.need(PODS, { indexes: { node: () => [] } }), AssertionError);
  assert.throws(() => pods.byIndex('elsewhere', 'x'), AssertionError);
  informers.start();
  assert.throws(() => informers.need(PODS, { indexes: byApp }), AssertionError);
  await scope.close();
});

test('a projection holds only when all readers gave it', async () => {
  for (const [name, others, kept] of [
    ['alone', [], undefined],
    ['twice the same', [{ project: bare }], undefined],
    ['with one who needs all', [{}], 'n1'],
    ['with another projection', [{ project: (pod: Pod) => pod }], 'n1'],
  ] as const) {
    const { clock, client, scope, informers, pod } = setUp();
    await client.resource(PODS, 'default').create(pod);
    const pods = informers.need(PODS, { project: bare });
    for (const other of others) informers.need(PODS, other);
    informers.start();
    await clock.advance(0);
    assert.equal(pods.get('default/a')?.spec.nodeName, kept, name);
    await scope.close();
  }
});

test('what is needed only later starts at once, and one name has a cache of its own', async () => {
  const { clock, client, scope, informers, network } = setUp();
  informers.start();
  const node = informers.need(NODES, { name: 'n1' });
  assert.notEqual(informers.need(NODES), node);
  await client.resource(NODES).create({ metadata: { name: 'n1' }, spec: {} });
  await client.resource(NODES).create({ metadata: { name: 'n2' }, spec: {} });
  await clock.advance(0);
  assert.deepEqual([node.size, informers.need(NODES).size, network.watchCount], [1, 2, 2]);
  await scope.close();
});
