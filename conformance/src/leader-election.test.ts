/**
 * Two controller managers, of which one works: its process is killed again and again while pods are lost. The other one takes
 * over, the number of pods comes back exactly, and of two asked for there are never three.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isPodActive, isPodReady, LEASES, PODS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import type { Lease } from '@binnacle/api/coordination/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { startProcesses, waitFor } from '@binnacle/testkit';
import type { BinnacleProcess, ProcessCluster } from '@binnacle/testkit';
import { replicationController } from './manifests.ts';

const NAMESPACE = 'default';
const ROUNDS = 3;
const WANTED = 2;

describe('controller managers that stand for election', () => {
  let cluster: ProcessCluster;
  let args: readonly string[];
  let most = 0;
  let endWatch = (): void => undefined;
  const managers: BinnacleProcess[] = [];
  const pods = new Map<string, Pod>();

  before(async () => {
    cluster = await startProcesses({ runtime: 'simulated', nodes: 1 });
    await cluster.controllerManager().kill();
    const times = [
      '--leader-elect-lease-duration=3s',
      '--leader-elect-renew-deadline=2s',
      '--leader-elect-retry-period=200ms',
    ];
    args = [
      'controller-manager',
      '--kubeconfig',
      await cluster.kubeconfigFor('system:kube-controller-manager'),
      ...times,
    ];
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
    for (let i = 0; i < 2; i++) managers.push(await cluster.start(args));
    await cluster.client.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController('two', WANTED));
  });
  after(async () => {
    endWatch();
    await cluster?.stop();
  });

  const leader = async (not?: string): Promise<string> => {
    let holder = '';
    await waitFor<Lease>({
      client: cluster.client,
      resource: LEASES,
      namespace: 'kube-system',
      name: 'kube-controller-manager',
      what: 'a living leader',
      until: ([lease]) => {
        holder = lease?.spec?.holderIdentity ?? '';
        return holder !== not && managers.some(({ ready }) => ready.identity === holder);
      },
    });
    return holder;
  };
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
      const holder = await leader();
      const at = managers.findIndex(({ ready }) => ready.identity === holder);
      // Its successor may have its name.
      const { name = '', uid = '' } = [...pods.values()][round % WANTED]?.metadata ?? {};
      // The leader may have seen it, and be at work, or not.
      const deleted = cluster.client.resource(PODS, NAMESPACE).delete(name, { gracePeriodSeconds: 0 });
      const [dead] = managers.splice(at, 1);
      await Promise.all([deleted, dead?.kill()]);
      managers.push(await cluster.start(args));
      assert.notEqual(await leader(holder), holder);
      await settled([uid]);
    }
    assert.equal(most, WANTED, 'two asked for, never three');
  });
});
