/**
 * Two controller managers, of which one works: its process is killed again and again while pods are lost. The other one takes
 * over, the number of pods comes back exactly, and of two asked for there are never three.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isPodActive, isPodReady, PODS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { startProcesses, waitFor } from '@binnacle/testkit';
import type { ProcessCluster } from '@binnacle/testkit';
import { ElectedManagers } from './elected-managers.ts';
import { replicationController } from './manifests.ts';

const NAMESPACE = 'default';
const ROUNDS = 3;
const WANTED = 2;

describe('controller managers that stand for election', () => {
  let cluster: ProcessCluster;
  let managers: ElectedManagers;
  let most = 0;
  let endWatch = (): void => undefined;
  const pods = new Map<string, Pod>();

  before(async () => {
    cluster = await startProcesses({ runtime: 'simulated', nodes: 1 });
    const times = { leaseDuration: '3s', renewDeadline: '2s', retryPeriod: '200ms' };
    managers = await ElectedManagers.replaceOwn(cluster, times);
    const events = (batch: readonly { readonly type: string; readonly object: Pod }[]): void => {
      for (const { type, object } of batch) {
        const name = object.metadata.name ?? '';
        if (type === 'BOOKMARK') continue;
        if (type === 'DELETED') pods.delete(name);
        else pods.set(name, object);
        most = Math.max(most, [...pods.values()].filter(isPodActive).length);
      }
    };
    const handle = cluster.client
      .resource(PODS, NAMESPACE)
      .watch({ resourceVersion: '0' }, { events, end: () => undefined });
    endWatch = () => handle.stop();
    await managers.start();
    await cluster.client.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController('two', WANTED));
  });
  after(async () => {
    endWatch();
    await cluster?.stop();
  });

  const settled = (lost: readonly string[]): Promise<unknown> =>
    waitFor<Pod>({
      client: cluster.client,
      resource: PODS,
      namespace: NAMESPACE,
      what: `${WANTED} ready pods, none of them ${lost.join()}`,
      until: (all) =>
        all.length === WANTED && all.every((pod) => isPodReady(pod) && !lost.includes(pod.metadata.uid ?? '')),
    });

  test(`the leader is killed ${ROUNDS} times`, async () => {
    await settled([]);
    for (let round = 0; round < ROUNDS; round++) {
      const leader = await managers.leader();
      // Its successor may have its name.
      const { name = '', uid = '' } = [...pods.values()][round % WANTED]?.metadata ?? {};
      // The leader may have seen it, and be at work, or not.
      const deleted = cluster.client.resource(PODS, NAMESPACE).delete(name, { gracePeriodSeconds: 0 });
      await Promise.all([deleted, managers.kill(leader)]);
      await managers.start();
      await managers.leader(leader);
      await settled([uid]);
    }
    assert.equal(most, WANTED, 'two asked for, never three');
  });
});
