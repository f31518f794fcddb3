/**
 * The process of the controllers is killed and started again at random moments while controllers are scaled: it
 * settles on exactly the wanted number every time. A surplus pod, made by a request in flight at the kill, would be
 * corrected; how often one is seen is counted and printed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isPodReady, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import type { ReplicaSet } from '@binnacle/api/apps/v1';
import type { Pod, ReplicationController } from '@binnacle/api/core/v1';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import type { WatchEvent } from '@binnacle/machinery';
import { startProcesses, TestkitError, waitFor } from '@binnacle/testkit';
import type { ProcessCluster } from '@binnacle/testkit';
import { replicationController } from './manifests.ts';

const NAMESPACE = 'default';
const ROUNDS = 8;
const KILLS_PER_ROUND_MAX = 3;
const REPLICAS_MAX = 8;
/** A kill falls within this many pod events after the scaling: in the thick of it. */
const EVENTS_BEFORE_KILL_MAX = 12;
const SETS = ['rc-a', 'rc-b', 'rs-a', 'rs-b'];
const seed = Number(process.env['SEED'] ?? 36);

/** Counts active pods per controller all the while, and tells who waits for the next event. */
class Census {
  readonly #pods = new Map<string, Pod>();
  readonly #wanted = new Map<string, number>();
  /** On the way down more than wanted are there, but never more than a moment before. */
  readonly #allowed = new Map<string, number>();
  readonly #surplus = new Set<string>();
  #waiters: (() => void)[] = [];
  surplusSeen = 0;

  take(batch: readonly WatchEvent<Pod>[]): void {
    for (const event of batch) {
      if (event.type === 'BOOKMARK') continue;
      const name = event.object.metadata.name ?? '';
      if (event.type === 'DELETED') this.#pods.delete(name);
      else this.#pods.set(name, event.object);
      this.#compare(event.object.metadata.labels?.['app'] ?? '');
    }
    for (const wake of this.#waiters.splice(0)) wake();
  }

  want(app: string, count: number): void {
    this.#wanted.set(app, count);
    this.#allowed.set(app, Math.max(count, this.active(app).length));
  }

  active(app: string): readonly Pod[] {
    return [...this.#pods.values()].filter(
      (p) =>
        p.metadata.labels?.['app'] === app &&
        p.metadata.deletionTimestamp === undefined &&
        p.status?.phase !== 'Failed' &&
        p.status?.phase !== 'Succeeded',
    );
  }

  nextEvent(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #compare(app: string): void {
    const count = this.active(app).length;
    const isSurplus = count > (this.#allowed.get(app) ?? 0);
    this.#allowed.set(app, Math.max(this.#wanted.get(app) ?? 0, Math.min(this.#allowed.get(app) ?? 0, count)));
    if (isSurplus && !this.#surplus.has(app)) this.surplusSeen++;
    if (isSurplus) this.#surplus.add(app);
    else this.#surplus.delete(app);
  }
}

function replicaSet(name: string): Parameters<ReturnType<typeof replicaSets>['create']>[0] {
  const { spec } = replicationController(name, 0);
  return { metadata: { name }, spec: { ...spec, selector: { matchLabels: { app: name } } } } as never;
}

function replicaSets(client: Client): ReturnType<typeof client.resource<ReplicaSet>> {
  return client.resource(REPLICA_SETS, NAMESPACE);
}

describe('controllers that are killed', () => {
  let cluster: ProcessCluster;
  let client: Client;
  let random: Random;
  let endWatch = (): void => undefined;
  const census = new Census();
  let watchEnded = false;

  before(async () => {
    random = createSeededRandom(seed);
    cluster = await startProcesses({ runtime: 'simulated', nodes: 2 });
    client = cluster.client;
    const handle = client
      .resource(PODS, NAMESPACE)
      .watch({ resourceVersion: '0' }, { events: (batch) => census.take(batch), end: () => (watchEnded = true) });
    endWatch = () => handle.stop();
    for (const name of SETS) {
      if (name.startsWith('rc')) {
        await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController(name, 0));
      } else await replicaSets(client).create(replicaSet(name));
    }
  });
  after(async () => {
    endWatch();
    await cluster?.stop();
  });

  const pick = (limit: number): number => randomBelow(random, limit + 1);
  const scale = async (name: string, replicas: number): Promise<void> => {
    census.want(name, replicas);
    const patch = { spec: { replicas } };
    if (name.startsWith('rc')) {
      await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).patch(name, 'merge', patch);
    } else await replicaSets(client).patch(name, 'merge', patch);
  };
  const killAndRestart = async (): Promise<void> => {
    // Where nothing happens any more, a kill is as good as any.
    const quiet = new Promise<void>((resolve) => setTimeout(resolve, 200).unref());
    for (let left = pick(EVENTS_BEFORE_KILL_MAX); left > 0; left--) await Promise.race([census.nextEvent(), quiet]);
    await cluster.controllerManager().kill();
    await cluster.restartControllerManager();
  };
  const settled = async (name: string, wanted: number): Promise<void> => {
    const ref = name.startsWith('rc') ? REPLICATION_CONTROLLERS : REPLICA_SETS;
    await waitFor<ReplicationController | ReplicaSet>({
      client,
      resource: ref as typeof REPLICATION_CONTROLLERS,
      namespace: NAMESPACE,
      name,
      what: `${name} to report ${wanted} ready replicas (seed ${seed})`,
      until: ([set]) =>
        set?.status?.observedGeneration === set?.metadata.generation &&
        (set?.status?.replicas ?? 0) === wanted &&
        (set?.status?.readyReplicas ?? 0) === wanted,
    });
    await waitFor({
      client,
      resource: PODS,
      namespace: NAMESPACE,
      labelSelector: `app=${name}`,
      what: `${wanted} pods of ${name} (seed ${seed})`,
      until: (pods) => pods.length === wanted && pods.every(isPodReady),
    });
  };

  test(`settles on exactly the wanted numbers, ${ROUNDS} rounds, seed ${seed}`, async (context) => {
    let kills = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const wanted = new Map(SETS.map((name) => [name, pick(REPLICAS_MAX)]));
      await Promise.all([...wanted].map(([name, replicas]) => scale(name, replicas)));
      for (let n = 1 + pick(KILLS_PER_ROUND_MAX - 1); n > 0; n--, kills++) await killAndRestart();
      for (const [name, replicas] of wanted) await settled(name, replicas);
    }
    const { items } = await client.resource(PODS, NAMESPACE).list();
    const owners = items.map((p) => p.metadata.ownerReferences?.find((o) => o.controller)?.name);
    if (owners.includes(undefined)) throw new TestkitError('a pod without a controller');
    assert.ok(kills >= ROUNDS);
    assert.ok(!watchEnded, 'the census saw everything');
    context.diagnostic(`seed ${seed}: ${kills} kills, a surplus pod was seen ${census.surplusSeen} times`);
  });
});
