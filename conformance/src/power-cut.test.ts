/** A machine that loses its power: all processes end at once, and nothing of what is mounted, linked or in memory is there again. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isPodReady, PODS } from '@binnacle/api';
import type { Pod, PodSpec } from '@binnacle/api/core/v1';
import {
  cutPower,
  fetchPage,
  lookUntil,
  nodeRemains,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const NAMESPACE = 'default';
const skip = await skipWithoutContainerd();
const HTTPD = 'date +%N >> /kept/births; exec httpd -f -p 80 -h /kept';

const SPECS: { readonly [name: string]: PodSpec } = {
  web: {
    terminationGracePeriodSeconds: 0,
    volumes: [
      { name: 'kept', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
      { name: 'image', image: { reference: IMAGE, pullPolicy: 'Never' } },
    ],
    initContainers: [{ name: 'first', image: IMAGE, command: ['sh', '-c', 'date +%N >> /kept/firsts'] }],
    containers: [
      {
        name: 'web',
        image: IMAGE,
        command: ['sh', '-c', HTTPD],
        ports: [{ containerPort: 80, hostPort: 31_777 }],
        readinessProbe: { httpGet: { path: '/births', port: 80 }, periodSeconds: 1 },
      },
    ].map((container) => ({
      ...container,
      volumeMounts: [
        { name: 'kept', mountPath: '/kept' },
        { name: 'memory', mountPath: '/memory' },
        { name: 'image', mountPath: '/image' },
      ],
    })),
  },
  once: {
    terminationGracePeriodSeconds: 0,
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: IMAGE, command: ['sleep', '1000'] }],
  },
  again: {
    terminationGracePeriodSeconds: 0,
    restartPolicy: 'OnFailure',
    hostNetwork: true,
    containers: [{ name: 'main', image: IMAGE, command: ['sleep', '1000'] }],
  },
  done: {
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: IMAGE, command: ['true'] }],
  },
};

describe('a power cut', { skip }, () => {
  let cluster: OneProcessCluster;
  before(async () => {
    cluster = await startContainerdCluster(['-v', '4']);
  });
  after(() => cluster?.stop());

  const podsUntil = (what: string, until: (pods: ReadonlyMap<string, Pod>) => boolean): Promise<readonly Pod[]> =>
    waitFor({
      client: cluster.client,
      resource: PODS,
      namespace: NAMESPACE,
      what,
      until: (pods: readonly Pod[]) => until(new Map(pods.map((pod) => [pod.metadata.name ?? '', pod]))),
    });
  const startsOf = (pod: Pod | undefined): number | undefined => pod?.status?.containerStatuses?.[0]?.restartCount;
  const lines = async (host: string, path: string): Promise<number> =>
    (await fetchPage(host, path)).body.trim().split('\n').length;

  test('pods are started anew once, what was theirs before is gone, what ended stays ended', async () => {
    const pods = cluster.client.resource(PODS, NAMESPACE);
    for (const [name, spec] of Object.entries(SPECS)) await pods.create({ metadata: { name }, spec: mounted(spec) });
    await podsUntil(
      'all to run',
      (all) =>
        isReady(all.get('web')) &&
        all.get('once')?.status?.phase === 'Running' &&
        all.get('again')?.status?.phase === 'Running' &&
        all.get('done')?.status?.phase === 'Succeeded',
    );
    const uids = (await pods.list()).items.map(({ metadata }) => metadata.uid ?? '');
    const before = await nodeRemains(cluster.dataDir, uids);
    const old = (await pods.get('web')).status;
    await cluster.kill();
    await cutPower(cluster.dataDir, uids);
    await cluster.restart();
    const after = new Map(
      (
        await podsUntil(
          'all to be as they should',
          (all) =>
            isReady(all.get('web')) &&
            startsOf(all.get('web')) === 1 &&
            all.get('once')?.status?.phase === 'Failed' &&
            startsOf(all.get('again')) === 1 &&
            all.get('again')?.status?.phase === 'Running',
        )
      ).map((pod) => [pod.metadata.name ?? '', pod]),
    );
    const web = after.get('web')?.status;
    const host = web?.podIP ?? '';
    assert.equal(await lines(host, '/births'), 2, 'once before, once after');
    assert.equal(await lines(host, '/firsts'), 2, 'a new sandbox has its init containers again');
    assert.equal((await fetchPage('127.0.0.1', '/births', 31_777)).code, 200);
    assert.notEqual(web?.containerStatuses?.[0]?.containerID, old?.containerStatuses?.[0]?.containerID);
    assert.equal(web?.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 255);
    assert.equal(after.get('once')?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 255);
    assert.equal(startsOf(after.get('once')), 0);
    assert.equal(after.get('done')?.status?.phase, 'Succeeded');
    await lookUntil({
      what: `as much as before: ${JSON.stringify(count(before))}`,
      look: async () => count(await nodeRemains(cluster.dataDir, uids)),
      until: (now) => Object.keys(now).every((kind) => (now[kind] ?? 0) <= (count(before)[kind] ?? 0)),
      everyMs: 250,
    });
    await pods.deleteCollection();
    await podsUntil('all to go', (all) => all.size === 0);
    await lookUntil({
      what: 'nothing of them to be left',
      look: async () => {
        const { mounts: _mounts, links: _links, ...left } = await nodeRemains(cluster.dataDir, uids);
        return left;
      },
      until: (left) => left.shims === 0 && left.folders.length === 0 && left.addresses.length === 0,
      everyMs: 250,
    });
  });
});

function isReady(pod: Pod | undefined): boolean {
  return pod !== undefined && isPodReady(pod);
}

/** Its init containers see what its containers see. */
function mounted(spec: PodSpec): PodSpec {
  const volumeMounts = spec.containers[0]?.volumeMounts ?? [];
  return { ...spec, initContainers: (spec.initContainers ?? []).map((one) => ({ ...one, volumeMounts })) };
}

function count(remains: object): { readonly [kind: string]: number } {
  return Object.fromEntries(
    Object.entries(remains).map(([kind, of]: [string, unknown]) => [kind, Array.isArray(of) ? of.length : Number(of)]),
  );
}
