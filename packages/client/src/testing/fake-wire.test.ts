import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { readText, status } from '@binnacle/machinery';
import type { WatchEvent } from '@binnacle/machinery';
import { NAMESPACES, PODS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import { createClient } from '../client.ts';
import { createFakeWire } from './fake-wire.ts';

function setUp() {
  const wire = createFakeWire({ clock: new VirtualClock(), random: createSeededRandom(7), resources: [PODS] });
  return { wire, client: createClient(wire), pods: createClient(wire).resource(PODS, 'default') };
}

const pod = (name: string, labels: Record<string, string> = {}) => ({
  metadata: { name, labels },
  spec: { containers: [{ name: 'a', image: 'x' }] },
});

test('create fills name, uid, generation; a second one of the name already exists', async () => {
  const { pods } = setUp();
  const made = await pods.create({ ...pod(''), metadata: { generateName: 'web-' } });
  assert.match(made.metadata.name ?? '', /^web-[a-z0-9]{5}$/);
  assert.equal(made.kind, 'Pod');
  assert.equal(made.status?.phase, 'Pending');
  assert.equal(made.metadata.generation, 1);
  await assert.rejects(pods.create(pod(made.metadata.name ?? '')), status.isAlreadyExists);
});

test('an update from an old version conflicts; the same content is not written again', async () => {
  const { pods } = setUp();
  const first = await pods.create(pod('a'));
  const second = await pods.update({ ...first, metadata: { ...first.metadata, labels: { x: '1' } } });
  assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
  await assert.rejects(pods.update(first), status.isConflict);
  const third = await pods.update(second);
  assert.equal(third.metadata.resourceVersion, second.metadata.resourceVersion);
});

test('status and spec are written apart, generation counts the spec', async () => {
  const { client } = setUp();
  const rcs = client.resource(REPLICATION_CONTROLLERS, 'default');
  const made = await rcs.create({ metadata: { name: 'rc' }, spec: { replicas: 1 } });
  const scaled = await rcs.update({ ...made, spec: { replicas: 2 }, status: { replicas: 9 } });
  assert.equal(scaled.status, undefined);
  assert.equal(scaled.metadata.generation, 2);
  const reported = await rcs.updateStatus({ ...scaled, spec: { replicas: 7 }, status: { replicas: 2 } });
  assert.deepEqual([reported.spec.replicas, reported.status?.replicas], [2, 2]);
});

test('finalizers hold a deleted object until they are gone', async () => {
  const { pods } = setUp();
  const made = await pods.create({ ...pod('a'), metadata: { name: 'a', finalizers: ['x/y'] } });
  await pods.delete('a');
  const held = await pods.get('a');
  assert.ok(held.metadata.deletionTimestamp);
  await pods.update({ ...held, metadata: { ...held.metadata, finalizers: [] } });
  await assert.rejects(pods.get('a'), status.isNotFound);
  assert.ok(made.metadata.uid);
});

test('a pod on a node waits for its kubelet, preconditions are checked', async () => {
  const { pods } = setUp();
  const made = await pods.create({ ...pod('a'), spec: { ...pod('a').spec, nodeName: 'n' } });
  await assert.rejects(pods.delete('a', { preconditions: { uid: 'other' } }), status.isConflict);
  await pods.delete('a');
  assert.ok((await pods.get('a')).metadata.deletionTimestamp);
  await pods.delete('a', { gracePeriodSeconds: 0, preconditions: { uid: made.metadata.uid ?? '' } });
  await assert.rejects(pods.get('a'), status.isNotFound);
});

test('a terminating namespace takes nothing new', async () => {
  const { client, pods } = setUp();
  await client.resource(NAMESPACES).create({ metadata: { name: 'default' }, spec: {} });
  await client.resource(NAMESPACES).delete('default');
  await assert.rejects(pods.create(pod('a')), status.isForbidden);
  assert.equal((await client.resource(NAMESPACES).get('default')).status?.phase, 'Terminating');
});

const selectorRows: { name: string; selector: string; found: string[] }[] = [
  { name: 'equality', selector: 'app=web', found: ['a', 'b'] },
  { name: 'inequality', selector: 'tier!=front', found: ['b', 'c'] },
  { name: 'set', selector: 'app in (web, db),tier', found: ['a'] },
  { name: 'absence', selector: '!tier', found: ['b', 'c'] },
];
for (const row of selectorRows) {
  test(`list by label selector: ${row.name}`, async () => {
    const { pods } = setUp();
    await pods.create(pod('a', { app: 'web', tier: 'front' }));
    await pods.create(pod('b', { app: 'web' }));
    await pods.create(pod('c', { app: 'db' }));
    const list = await pods.list({ labelSelector: row.selector });
    assert.deepEqual(
      list.items.map((item) => item.metadata.name),
      row.found,
    );
  });
}

test('a watch sees an object enter and leave its selector, and resumes from a version', async () => {
  const { pods, wire } = setUp();
  const seen: WatchEvent[] = [];
  const sink = { events: (batch: readonly WatchEvent[]) => void seen.push(...batch), end: () => undefined };
  const { resourceVersion } = await pods.list();
  const made = await pods.create(pod('a'));
  pods.watch({ resourceVersion, labelSelector: 'app=web' }, sink);
  const web = await pods.patch('a', 'merge', { metadata: { labels: { app: 'web' } } });
  await pods.patch('a', 'merge', { metadata: { labels: { app: null } } });
  await Promise.resolve();
  assert.deepEqual(
    seen.map((event) => event.type),
    ['ADDED', 'DELETED'],
  );
  assert.ok(Number(web.metadata.resourceVersion) > Number(made.metadata.resourceVersion));
  wire.compact();
  const ends: unknown[] = [];
  pods.watch({ resourceVersion }, { events: () => undefined, end: (error) => ends.push(error) });
  await Promise.resolve();
  assert.ok(status.isExpired(ends[0]));
});

test('a lost reply is done all the same, a lost request is not', async () => {
  const { pods, wire } = setUp();
  wire.faults.call = () => ({ kind: 'lose-reply' });
  await assert.rejects(pods.create(pod('a')), /cut/);
  wire.faults.call = () => ({ kind: 'lose-request' });
  await assert.rejects(pods.create(pod('b')), /cut/);
  wire.faults.call = undefined;
  assert.deepEqual(
    (await pods.list()).items.map((item) => item.metadata.name),
    ['a'],
  );
});

test('discovery tells what it was given', async () => {
  const { wire } = setUp();
  const list = JSON.parse(await readText(wire, '/api/v1')) as { resources: { name: string }[] };
  assert.deepEqual(
    list.resources.map((resource) => resource.name),
    ['pods'],
  );
  await assert.rejects(readText(wire, '/apis/none/v1'), status.isNotFound);
});

test('patches as the API has them: strategic by merge key, merge as a whole, JSON by step', async () => {
  const { pods } = setUp();
  await pods.create(pod('a'));
  const containers = [{ name: 'b', image: 'y' }];
  const strategic = await pods.patch('a', 'strategic', { spec: { containers } });
  assert.deepEqual(strategic.spec.containers.map((one) => one.name).toSorted(), ['a', 'b']);
  const merge = await pods.patch('a', 'merge', { spec: { containers } });
  assert.deepEqual(merge.spec.containers, containers);
  const json = await pods.patch('a', 'json', [{ op: 'replace', path: '/spec/containers/0/image', value: 'z' }]);
  assert.equal(json.spec.containers[0]?.image, 'z');
  await assert.rejects(pods.patch('a', 'apply', {}), /knows no apply patch/);
});
