/** Two API servers on one real etcd: one cluster, whichever of them is asked. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CONFIG_MAPS, isPodReady, PODS, REPLICATION_CONTROLLERS, SERVICES } from '@binnacle/api';
import type { ConfigMap, Service } from '@binnacle/api/core/v1';
import { createClient } from '@binnacle/client';
import type { Client, Draft, ResourceClient } from '@binnacle/client';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import { status } from '@binnacle/machinery';
import type { WatchEvent, Wire } from '@binnacle/machinery';
import { skipWithoutEtcd, startProcesses, startTestEtcd, TestkitError, waitFor } from '@binnacle/testkit';
import type { BinnacleProcess, ProcessCluster, TestEtcd } from '@binnacle/testkit';
import { replicationController } from './manifests.ts';

const NAMESPACE = 'default';
const WATCH_MS_MAX = 10_000;

function map(name: string, value: string): Draft<ConfigMap> {
  return { metadata: { name }, data: { value } };
}

/** Watches until an event is what was waited for; answers with all events up to it. */
function eventsUntil(
  api: ResourceClient<ConfigMap>,
  resourceVersion: string,
  isLast: (event: WatchEvent<ConfigMap>) => boolean,
): Promise<readonly WatchEvent<ConfigMap>[]> {
  return new Promise((resolve, reject) => {
    const seen: WatchEvent<ConfigMap>[] = [];
    const finish = (act: () => void): void => {
      clearTimeout(timer);
      handle.stop();
      act();
    };
    const timer = setTimeout(() => {
      finish(() => reject(new TestkitError(`the watch brought only ${JSON.stringify(seen)}`)));
    }, WATCH_MS_MAX);
    const handle = api.watch(
      { resourceVersion },
      {
        events(batch) {
          for (const event of batch) {
            if (event.type !== 'BOOKMARK') seen.push(event);
            if (isLast(event)) return finish(() => resolve(seen));
          }
        },
        end: (error) => error !== undefined && finish(() => reject(error)),
      },
    );
  });
}

const said = (events: readonly WatchEvent<ConfigMap>[]): string[] =>
  events.map((e) => `${e.type} ${e.object.metadata.name} ${(e.object as ConfigMap).data?.['value']}`);

describe('two API servers on one etcd', { skip: skipWithoutEtcd() }, () => {
  let etcd: TestEtcd;
  let cluster: ProcessCluster;
  let second: BinnacleProcess;
  let wire: Wire;
  let one: Client;
  let two: Client;

  const startSecond = (): Promise<BinnacleProcess> =>
    cluster.start([
      'apiserver',
      // The same certificates and keys, as several API servers of one cluster must have.
      ...['--data-dir', cluster.dataDir, '--kubeconfig', `${cluster.kubeconfig}-2`, '--listen', '127.0.0.1:0'],
      ...['--output', 'json', '--store', 'etcd', '--etcd-servers', etcd.endpoint],
    ]);
  before(async () => {
    etcd = await startTestEtcd();
    const storeFlags = ['--store', 'etcd', '--etcd-servers', etcd.endpoint];
    cluster = await startProcesses({ runtime: 'simulated', nodes: 2, storeFlags });
    second = await startSecond();
    one = cluster.client;
    wire = createHttpWire((await loadKubeconfig(second.ready.kubeconfig)).wire);
    two = createClient(wire);
    assert.notEqual(second.ready.server, cluster.server);
  });
  after(async () => {
    await wire?.close();
    await cluster?.stop();
    await etcd?.stop();
  });

  const mapsOf = (client: Client): ResourceClient<ConfigMap> => client.resource(CONFIG_MAPS, NAMESPACE);

  test('what one wrote the other reads at once: get, list, and from then on by watch', async () => {
    for (let i = 0; i < 20; i++) {
      const [writer, reader] = i % 2 === 0 ? [one, two] : [two, one];
      const made = await mapsOf(writer).create(map(`seen-${i}`, `${i}`));
      assert.deepEqual(await mapsOf(reader).get(`seen-${i}`), made);
      const { items, resourceVersion } = await mapsOf(reader).list();
      assert.ok(items.some((m) => m.metadata.name === `seen-${i}`));
      assert.ok(Number(resourceVersion) >= Number(made.metadata.resourceVersion));
      await mapsOf(reader).delete(`seen-${i}`);
      await assert.rejects(mapsOf(writer).get(`seen-${i}`), (error) => status.isNotFound(error));
    }
  });

  test('both servers tell the same events in the same order', async () => {
    const { resourceVersion } = await mapsOf(one).list();
    const isLast = (e: WatchEvent<ConfigMap>): boolean => e.type === 'DELETED' && e.object.metadata.name === 'told';
    const watching = Promise.all([
      eventsUntil(mapsOf(one), resourceVersion, isLast),
      eventsUntil(mapsOf(two), resourceVersion, isLast),
    ]);
    await mapsOf(one).create(map('told', 'a'));
    await mapsOf(two).patch('told', 'merge', { data: { value: 'b' } });
    await mapsOf(one).patch('told', 'merge', { data: { value: 'c' } });
    await mapsOf(two).delete('told');
    const [fromOne, fromTwo] = await watching;
    assert.deepEqual(said(fromOne), ['ADDED told a', 'MODIFIED told b', 'MODIFIED told c', 'DELETED told c']);
    assert.deepEqual(fromTwo, fromOne);
  });

  test('of two writers at once with one version, one gets a conflict; patches both arrive', async () => {
    for (let i = 0; i < 10; i++) {
      const name = `contested-${i}`;
      const made = await mapsOf(one).create(map(name, 'start'));
      const both = await Promise.allSettled([
        mapsOf(one).update({ ...made, data: { value: 'one' } }),
        mapsOf(two).update({ ...made, data: { value: 'two' } }),
      ]);
      const lost = both.filter((b) => b.status === 'rejected');
      assert.equal(lost.length, 1, name);
      assert.ok(status.isConflict(lost[0]?.reason));
      await Promise.all([
        mapsOf(one).patch(name, 'merge', { data: { left: 'x' } }),
        mapsOf(two).patch(name, 'merge', { data: { right: 'y' } }),
      ]);
      const now = await mapsOf(two).get(name);
      assert.deepEqual([now.data?.['left'], now.data?.['right']], ['x', 'y']);
      const created = await Promise.allSettled([
        mapsOf(one).create(map(`${name}-new`, 'one')),
        mapsOf(two).create(map(`${name}-new`, 'two')),
      ]);
      const refused = created.filter((c) => c.status === 'rejected');
      assert.equal(refused.length, 1);
      assert.ok(status.isAlreadyExists(refused[0]?.reason));
    }
  });

  test('services made through both at once get addresses and node ports of their own', async () => {
    const count = 40;
    const service = (i: number): Draft<Service> => ({
      metadata: { name: `svc-${i}` },
      spec: { type: 'NodePort', selector: { app: 'none' }, ports: [{ port: 80 }] },
    });
    const made = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        (i % 2 === 0 ? one : two).resource(SERVICES, NAMESPACE).create(service(i)),
      ),
    );
    const addresses = made.map((s) => s.spec.clusterIP);
    const ports = made.map((s) => s.spec.ports?.[0]?.nodePort);
    for (const address of addresses) assert.match(address ?? '', /^10\.(9[6-9]|1[01]\d)\.\d+\.\d+$/);
    assert.equal(new Set(addresses).size, count);
    assert.equal(new Set(ports).size, count);
    const taken = made[0]?.spec.clusterIP ?? '';
    await assert.rejects(
      two.resource(SERVICES, NAMESPACE).create({
        metadata: { name: 'thief' },
        spec: { clusterIP: taken, ports: [{ port: 80 }] },
      }),
      /provided IP is already allocated/,
    );
    await one.resource(SERVICES, NAMESPACE).delete('svc-0');
    const again = await two.resource(SERVICES, NAMESPACE).create({
      metadata: { name: 'heir' },
      spec: { clusterIP: taken, ports: [{ port: 80 }] },
    });
    assert.equal(again.spec.clusterIP, taken);
  });

  test('the story, asked of one and watched through the other', async () => {
    await two.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController('both', 3));
    const ready = (count: number): Promise<unknown> =>
      waitFor({
        client: two,
        resource: PODS,
        namespace: NAMESPACE,
        labelSelector: 'app=both',
        what: `${count} ready pods`,
        until: (pods) => pods.length === count && pods.every(isPodReady),
      });
    await ready(3);
    await two.resource(REPLICATION_CONTROLLERS, NAMESPACE).patch('both', 'merge', { spec: { replicas: 5 } });
    await ready(5);
    const { items } = await one.resource(PODS, NAMESPACE).list({ labelSelector: 'app=both' });
    assert.equal(items.length, 5);
    await two.resource(REPLICATION_CONTROLLERS, NAMESPACE).delete('both', { propagationPolicy: 'Background' });
    await ready(0);
  });

  test('a watch goes on where it was after its server was killed, at the other and at the new one', async () => {
    const began = await mapsOf(two).create(map('resumed', '0'));
    const version = began.metadata.resourceVersion ?? '';
    await second.kill();
    await mapsOf(one).patch('resumed', 'merge', { data: { value: '1' } });
    await mapsOf(one).patch('resumed', 'merge', { data: { value: '2' } });
    second = await startSecond();
    const fresh = createHttpWire((await loadKubeconfig(second.ready.kubeconfig)).wire);
    try {
      const isLast = (e: WatchEvent<ConfigMap>): boolean => (e.object as ConfigMap).data?.['value'] === '2';
      for (const client of [one, createClient(fresh)]) {
        const events = await eventsUntil(mapsOf(client), version, isLast);
        assert.deepEqual(said(events), ['MODIFIED resumed 1', 'MODIFIED resumed 2']);
      }
    } finally {
      await fresh.close();
    }
  });
});
