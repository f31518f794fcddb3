/** kill -9 of everything but the containers: what comes back joins what went on running, and cleans what is not wanted. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { readFileSync } from 'node:fs';
import { isPodReady, NODES, PODS, REPLICATION_CONTROLLERS, SECRETS, SERVICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import {
  containerPids,
  fetchPage,
  hasLink,
  killContainer,
  lookUntil,
  podCgroups,
  podLinks,
  remainsOf,
  skipWithoutContainerd,
  startBinnacle,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import { IMAGE, replicationController } from './manifests.ts';

const NAMESPACE = 'default';
const skip = await skipWithoutContainerd();

interface Seen {
  readonly uid: string;
  readonly container: string;
  readonly address: string;
  readonly restarts: number;
  readonly startedAt: string;
}

function seen(pods: readonly Pod[]): Map<string, Seen> {
  return new Map(
    pods.map((p) => {
      const state = p.status?.containerStatuses?.[0];
      return [
        p.metadata.name ?? '',
        {
          uid: p.metadata.uid ?? '',
          container: state?.containerID ?? '',
          address: p.status?.podIP ?? '',
          restarts: state?.restartCount ?? -1,
          startedAt: state?.state?.running?.startedAt ?? '',
        },
      ];
    }),
  );
}

const allReady =
  (count: number) =>
  (pods: readonly Pod[]): boolean =>
    pods.length === count && pods.every((p) => isPodReady(p) && p.metadata.deletionTimestamp === undefined);

/** Connects and asks for a page, but for the last line. */
async function askHalf(t: TestContext, host: string): Promise<Socket> {
  const socket = connect({ host, port: 80 });
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.0\r\n');
  return socket;
}

async function askRest(socket: Socket): Promise<string> {
  socket.setEncoding('utf8').write('\r\n');
  const parts: string[] = [];
  for await (const part of socket) parts.push(String(part));
  return parts.join('');
}

describe('adoption', { skip }, () => {
  let cluster: OneProcessCluster;
  let client: Client;
  let firstSeen: Map<string, Seen>;
  let pidsBefore: Map<string, number[]>;
  /** Of a Service of the pods `kept`. */
  let clusterIP: string;

  before(async () => {
    cluster = await startContainerdCluster();
    client = cluster.client;
    await client.resource(SECRETS, NAMESPACE).create({ metadata: { name: 'kept' }, data: { key: 'c2VjcmV0' } });
    await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController('kept', 3));
    await client.resource(PODS, NAMESPACE).create({
      metadata: { name: 'with-volumes', labels: { app: 'volumes' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        volumes: [
          { name: 'secret', secret: { secretName: 'kept' } },
          { name: 'memory', emptyDir: { medium: 'Memory' } },
        ],
        containers: [
          {
            name: 'web',
            image: IMAGE,
            command: [
              'sh',
              '-c',
              'date +%N > /memory/birth; cp /secret/key /memory/key; exec httpd -f -p 80 -h /memory',
            ],
            volumeMounts: [
              { name: 'secret', mountPath: '/secret' },
              { name: 'memory', mountPath: '/memory' },
            ],
            readinessProbe: { httpGet: { path: '/birth', port: 80 }, periodSeconds: 1 },
          },
        ],
      },
    });
    await podsOf('kept', 'three pods', allReady(3));
    await podsOf('volumes', 'the pod with volumes', allReady(1));
    clusterIP = await expose('kept');
  });
  after(() => cluster?.stop());

  const podsOf = (app: string, what: string, until: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> =>
    waitFor({ client, resource: PODS, namespace: NAMESPACE, labelSelector: `app=${app}`, what, until });
  const all = async (): Promise<Map<string, Seen>> => seen((await client.resource(PODS, NAMESPACE).list()).items);
  const pidsOf = (pods: ReadonlyMap<string, Seen>): Map<string, number[]> =>
    new Map([...pods].map(([name, p]) => [name, containerPids(p.container).sort()]));
  /** A web server has a process more for each probe that it answers just now. */
  const untilPids = (
    pods: ReadonlyMap<string, Seen>,
    until: (pids: ReadonlyMap<string, number[]>) => boolean,
  ): Promise<Map<string, number[]>> =>
    lookUntil({ what: 'each container has its own process alone', look: () => pidsOf(pods), until });
  /** The kubelet has looked at its pods again: it answers a probe with a transition and runs a new pod. */
  const newPodRuns = async (name: string): Promise<void> => {
    await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController(name, 1));
    const [pod] = await podsOf(name, `a new pod ${name}`, allReady(1));
    assert.equal((await fetchPage(pod?.status?.podIP ?? '')).code, 200);
    await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).delete(name, { propagationPolicy: 'Background' });
    await podsOf(name, `${name} to go`, (pods) => pods.length === 0);
  };
  /** A Service of the pods `kept`; resolves when it answers the machine, with its address. */
  const expose = async (name: string): Promise<string> => {
    const { spec } = await client
      .resource(SERVICES, NAMESPACE)
      .create({ metadata: { name }, spec: { selector: { app: 'kept' }, ports: [{ port: 80 }] } });
    const address = spec?.clusterIP ?? '';
    // Before its rules are there it answers nobody.
    const look = (): Promise<number> => fetchPage(address).then(({ code }) => code, Number);
    await lookUntil({ what: `the Service ${name} to answer`, look, until: (code) => code === 200 });
    return address;
  };
  const containerdPid = (): number => Number(readFileSync(`${cluster.dataDir}/containerd/containerd.pid`, 'utf8'));

  test('kill -9 of binnacle: same objects, same containers, none restarted', async (t) => {
    firstSeen = await all();
    pidsBefore = await untilPids(firstSeen, (pids) => [...pids.values()].every((of) => of.length === 1));
    const birth = (await fetchPage(firstSeen.get('with-volumes')?.address ?? '', '/birth')).body;
    const { resourceVersion } = await client.resource(PODS, NAMESPACE).list();
    const node = (await client.resource(NODES).list()).items[0];
    const standing = await askHalf(t, clusterIP);
    await cluster.kill();
    assert.equal((await fetchPage(clusterIP)).code, 200);
    for (const pod of firstSeen.values()) {
      assert.equal((await fetchPage(pod.address, pod === firstSeen.get('with-volumes') ? '/birth' : '/')).code, 200);
    }
    await cluster.restart();
    assert.equal((await fetchPage(clusterIP)).code, 200);
    assert.match(await askRest(standing), /^HTTP\/1\.\d 200/, 'a connection through the Service goes on');
    await newPodRuns('first-after');
    assert.deepEqual(await all(), firstSeen);
    await untilPids(firstSeen, (pids) => isDeepStrictEqual(pids, pidsBefore));
    assert.equal((await fetchPage(firstSeen.get('with-volumes')?.address ?? '', '/birth')).body, birth);
    assert.ok(Number((await client.resource(PODS, NAMESPACE).list()).resourceVersion) > Number(resourceVersion));
    assert.equal((await client.resource(NODES).list()).items[0]?.metadata.uid, node?.metadata.uid);
  });

  test('kill -9 of binnacle and of its containerd', async (t) => {
    const standing = await askHalf(t, clusterIP);
    await cluster.kill();
    process.kill(containerdPid(), 'SIGKILL');
    assert.equal((await fetchPage(clusterIP)).code, 200);
    for (const [name, pids] of pidsBefore) {
      // One of them serves the connection that stands by a process of its own.
      const living = containerPids(firstSeen.get(name)?.container ?? '');
      for (const pid of pids) assert.ok(living.includes(pid), `${name}: ${pid} of ${living.join(', ')}`);
    }
    await cluster.restart();
    assert.match(await askRest(standing), /^HTTP\/1\.\d 200/, 'a connection through the Service goes on');
    await newPodRuns('second-after');
    await expose('made-after');
    assert.deepEqual(await all(), firstSeen);
    await untilPids(firstSeen, (pids) => isDeepStrictEqual(pids, pidsBefore));
  });

  test('what happened while nobody looked: an exit is restarted, a deleted pod is cleaned up', async () => {
    const [crashed = '', deleted = ''] = [...firstSeen.keys()].filter((name) => name.startsWith('kept'));
    await cluster.kill();
    killContainer(firstSeen.get(crashed)?.container ?? '');
    const server = await startBinnacle([
      ...['apiserver', '--data-dir', cluster.dataDir, '--kubeconfig', `${cluster.kubeconfig}-alone`],
      ...['--listen', '127.0.0.1:0', '--output', 'json'],
    ]);
    const wire = createHttpWire((await loadKubeconfig(server.ready.kubeconfig)).wire);
    await createClient(wire).resource(PODS, NAMESPACE).delete(deleted, { gracePeriodSeconds: 0 });
    await wire.close();
    await server.stop();
    assert.ok(containerPids(firstSeen.get(deleted)?.container ?? '').length > 0, 'nobody has stopped it yet');

    await cluster.restart();
    const pods = seen(await podsOf('kept', 'three pods again', allReady(3)));
    assert.ok(![...pods.values()].some((p) => p.uid === firstSeen.get(deleted)?.uid));
    const back = pods.get(crashed);
    assert.equal(back?.uid, firstSeen.get(crashed)?.uid);
    assert.equal(back?.restarts, 1);
    assert.equal(back?.address, firstSeen.get(crashed)?.address);
    assert.notEqual(back?.container, firstSeen.get(crashed)?.container);
    await newPodRuns('third-after');
    assert.deepEqual(containerPids(firstSeen.get(deleted)?.container ?? ''), []);
  });

  test('down --delete leaves nothing behind', async () => {
    const pods = [...(await all()).values()];
    const containers = pods.map((p) => p.container);
    const uids = [...pods, ...firstSeen.values()].map((p) => p.uid);
    const links = podLinks(cluster.dataDir);
    assert.ok(links.length > pods.length, 'a bridge and an end per pod');
    assert.ok(podCgroups(uids).length >= pods.length);
    assert.ok(containers.flatMap(containerPids).length >= 4);
    await cluster.stop();
    assert.deepEqual(containers.flatMap(containerPids), []);
    assert.deepEqual(remainsOf(dirname(cluster.dataDir)), []);
    assert.deepEqual(links.filter(hasLink), []);
    assert.deepEqual(podCgroups(uids), []);
  });
});
