/** Control groups of pods on a real node: weights and limits as measured, and nothing of them left behind. */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { isPodReady, PODS } from '@binnacle/api';
import type { Pod, PodSpec } from '@binnacle/api/core/v1';
import { podCgroups, skipWithoutContainerd, startContainerdCluster, waitFor } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';

const IMAGE = 'binnacle.local/frontend:1.0';
/**
 * Busy loops on one CPU, the same for all of them: there weights hold exactly, whatever the machine's other work does to the
 * others. From when they are told to: who is starved does not even start.
 */
const HOG =
  'while [ ! -e /start/now ]; do sleep 0.1; done; for i in 1 2; do taskset 1 sh -c "while :; do :; done" & done; wait';
const MEASURED_MS = 3_000;
const GROUPS = '/sys/fs/cgroup';

const skip = await skipWithoutContainerd();

describe('control groups of pods', { skip }, () => {
  let cluster: OneProcessCluster;
  before(async () => (cluster = await startContainerdCluster()));
  after(() => cluster?.stop());

  const hog = async (
    name: string,
    folder: string,
    of: { resources?: object; spec?: Partial<PodSpec> },
  ): Promise<Pod> => {
    const volumeMounts = [{ name: 'start', mountPath: '/start' }];
    const container = {
      name: 'c',
      image: IMAGE,
      command: ['sh', '-c', HOG],
      resources: of.resources ?? {},
      volumeMounts,
    };
    const { client } = cluster;
    await client.resource(PODS, 'default').create({
      metadata: { name },
      spec: {
        containers: [container],
        volumes: [{ name: 'start', hostPath: { path: folder } }],
        terminationGracePeriodSeconds: 1,
        ...of.spec,
      },
    });
    const [pod] = await waitFor({
      client,
      resource: PODS,
      namespace: 'default',
      name,
      what: `${name} runs`,
      until: (all) => all[0] !== undefined && isPodReady(all[0]),
    });
    return pod as Pod;
  };
  /** CPU that pods take while all of them want everything, as a part of one CPU; seen from the node. */
  const measure = async (folder: string, pods: readonly Pod[]): Promise<readonly number[]> => {
    const groups = pods.map((pod) => groupsOf(pod).find((group) => group.startsWith('cpuacct/')));
    const used = (): Promise<number[]> =>
      Promise.all(groups.map(async (group) => Number(await readFile(`${GROUPS}/${group}/cpuacct.usage`, 'utf8'))));
    await writeFile(`${folder}/now`, '');
    // The first second is for all of them to notice.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const first = await used();
    await new Promise((resolve) => setTimeout(resolve, MEASURED_MS));
    const last = await used();
    return last.map((nanos, i) => (nanos - (first[i] ?? 0)) / 1e6 / MEASURED_MS);
  };
  const groupsOf = ({ metadata: { uid = '' } }: Pod): string[] =>
    podCgroups([uid]).map((path) => path.slice(`${GROUPS}/`.length));
  const gone = async (pod: Pod): Promise<void> => {
    const { client } = cluster;
    const name = pod.metadata.name ?? '';
    await client.resource(PODS, 'default').delete(name);
    await waitFor({
      client,
      resource: PODS,
      namespace: 'default',
      name,
      what: 'gone',
      until: (all) => all.length === 0,
    });
    assert.deepEqual(groupsOf(pod), []);
  };
  const inFolder = async (body: (folder: string) => Promise<void>): Promise<void> => {
    const folder = makeTestFolder().path;
    try {
      await body(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  test('of two that want everything the one that asked for it has it', () =>
    inFolder(async (folder) => {
      const asked = await hog('asked', folder, { resources: { requests: { cpu: '1500m' } } });
      // Of the same class of service: nodes of other clusters on this machine set the weights of the classes, too.
      const other = await hog('other', folder, { resources: { requests: { cpu: '2m' } } });
      const [has = 0, rest = 0] = await measure(folder, [asked, other]);
      assert.ok(has > rest * 8, `${has.toFixed(2)} and ${rest.toFixed(2)} CPUs`);
      const groups = groupsOf(asked);
      const hierarchies = groups.map((path) => path.split('/')[0]);
      assert.equal(new Set(hierarchies).size, hierarchies.length, `one in each hierarchy: ${groups.join(' ')}`);
      assert.ok(groups.length > 0 && groups.every((path) => path.includes('kubepods/burstable/')));
      await gone(asked);
      await gone(other);
    }));

  test('a limit of the pod as a whole holds', () =>
    inFolder(async (folder) => {
      const resources = { limits: { cpu: '200m', memory: '64Mi' } };
      const pod = await hog('limited', folder, { spec: { resources } });
      const [has = 0] = await measure(folder, [pod]);
      assert.ok(has < 0.3, `${has.toFixed(2)} CPUs`);
      await gone(pod);
    }));
});
