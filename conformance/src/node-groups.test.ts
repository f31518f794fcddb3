/** Control groups of pods on a real node: weights and limits as measured, and nothing of them left behind. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { isPodReady, PODS } from '@binnacle/api';
import type { Pod, PodSpec } from '@binnacle/api/core/v1';
import { findKubectl, kubectlOutput, skipWithoutContainerd, startContainerdCluster, waitFor } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';

const IMAGE = 'binnacle.local/frontend:1.0';
/** As many busy loops as it takes to want every CPU. */
const HOG = 'for i in 1 2 3 4; do while :; do :; done & done; wait';
const MEASURED_SECONDS = 3;

const skip = await skipWithoutContainerd();

describe('control groups of pods', { skip }, () => {
  let cluster: OneProcessCluster;
  before(async () => (cluster = await startContainerdCluster('10.221.0.0/24')));
  after(() => cluster?.stop());

  const hog = async (name: string, resources: object, more: Partial<PodSpec> = {}): Promise<Pod> => {
    const container = { name: 'c', image: IMAGE, command: ['sh', '-c', HOG], resources };
    const { client } = cluster;
    await client.resource(PODS, 'default').create({
      metadata: { name },
      spec: { containers: [container], terminationGracePeriodSeconds: 0, ...more },
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
  /** CPU that a pod takes while both are measured, as a part of one CPU. */
  const measure = async (names: readonly string[]): Promise<readonly number[]> => {
    const kubectl = await findKubectl();
    assert.ok(kubectl !== undefined);
    const script = `cat /sys/fs/cgroup/cpuacct/cpuacct.usage; sleep ${MEASURED_SECONDS}; cat /sys/fs/cgroup/cpuacct/cpuacct.usage`;
    return Promise.all(
      names.map(async (name) => {
        const said = await kubectlOutput(kubectl, cluster.kubeconfig, ['exec', name, '--', 'sh', '-c', script]);
        const [first = 0, last = 0] = said.trim().split('\n').map(Number);
        return (last - first) / 1e9 / MEASURED_SECONDS;
      }),
    );
  };
  const groupsOf = async (uid: string): Promise<string[]> => {
    const found: string[] = [];
    for (const hierarchy of await readdir('/sys/fs/cgroup')) {
      const below = await readdir(`/sys/fs/cgroup/${hierarchy}`, { recursive: true }).catch(() => []);
      found.push(...below.filter((path) => path.endsWith(`pod${uid}`)).map((path) => `${hierarchy}/${path}`));
    }
    return found;
  };
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
    assert.deepEqual(await groupsOf(pod.metadata.uid ?? ''), []);
  };

  test('of two that want everything the one that asked for it has it', async () => {
    const asked = await hog('asked', { requests: { cpu: '1500m' } });
    const other = await hog('other', {});
    const [has = 0, rest = 0] = await measure(['asked', 'other']);
    assert.ok(has > rest * 8, `${has.toFixed(2)} and ${rest.toFixed(2)} CPUs`);
    const groups = await groupsOf(asked.metadata.uid ?? '');
    const hierarchies = groups.map((path) => path.split('/')[0]);
    assert.equal(new Set(hierarchies).size, hierarchies.length, `one in each hierarchy: ${groups.join(' ')}`);
    assert.ok(groups.every((path) => path.includes('kubepods/burstable/')));
    await gone(asked);
    await gone(other);
  });

  test('a limit of the pod as a whole holds', async () => {
    const pod = await hog('limited', {}, { resources: { limits: { cpu: '200m', memory: '64Mi' } } });
    const [has = 0] = await measure(['limited']);
    assert.ok(has < 0.3, `${has.toFixed(2)} CPUs`);
    await gone(pod);
  });
});
