/** CPUs for containers alone, on a real node: seen in the kernel's own list of where processes may run. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isPodReady, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { containerPids, lookUntil, skipWithoutContainerd, startContainerdCluster, waitFor } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';

const IMAGE = 'binnacle.local/frontend:1.0';
const CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cpuManagerPolicy: static
reservedSystemCPUs: '0'
`;
const DEADLINE_MS = 20_000;

const skip = (await skipWithoutContainerd()) || (availableParallelism() < 2 && 'this machine has one CPU');

describe('CPUs for containers alone', { skip }, () => {
  let cluster: OneProcessCluster;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'own-cpus-'));
    await writeFile(join(folder, 'kubelet.yaml'), CONFIG);
    cluster = await startContainerdCluster(['--config', join(folder, 'kubelet.yaml')]);
  });
  after(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true });
  });

  const create = async (name: string, resources: object): Promise<Pod> => {
    const container = { name: 'c', image: IMAGE, command: ['sleep', '1000'], resources };
    await cluster.client
      .resource(PODS, 'default')
      .create({ metadata: { name }, spec: { containers: [container], terminationGracePeriodSeconds: 0 } });
    const [pod] = await waitFor({
      client: cluster.client,
      resource: PODS,
      namespace: 'default',
      name,
      what: `${name} runs`,
      until: (all) => all[0] !== undefined && isPodReady(all[0]),
    });
    return pod as Pod;
  };
  const idOf = (pod: Pod): string => pod.status?.containerStatuses?.[0]?.containerID ?? '';
  /** Where the container's processes may run. */
  const cpusOf = async (pod: Pod): Promise<string> => {
    const [pid] = containerPids(idOf(pod));
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
  };
  /** Groups are set behind the pod's own status: looked at until they are as wanted. */
  const until = (pod: Pod, wanted: (cpus: string) => boolean): Promise<string> => {
    const what = `other CPUs of ${pod.metadata.name}`;
    return lookUntil({ what, look: () => cpusOf(pod), until: wanted, deadlineMs: DEADLINE_MS });
  };

  test('one that asks for a whole CPU has it alone; what it leaves is for the others, also after a crash', async () => {
    const all = (await readFile('/sys/devices/system/cpu/online', 'utf8')).trim();
    const sharing = await create('sharing', {});
    assert.equal(await cpusOf(sharing), all);
    const alone = await create('alone', { limits: { cpu: '1', memory: '32Mi' } });
    const own = await cpusOf(alone);
    assert.match(own, /^[1-9]\d*$/, 'one CPU, and not the reserved one');
    const left = await until(sharing, (cpus) => cpus !== all);
    assert.ok(!expand(left).includes(Number(own)), left);
    assert.equal(expand(left).length, expand(all).length - 1);
    const group = /^\d+:[^:]*\bcpu\b[^:]*:(.*)$/m.exec(
      await readFile(`/proc/${containerPids(idOf(alone))[0]}/cgroup`, 'utf8'),
    );
    if (group !== null) {
      const quota = await readFile(`/sys/fs/cgroup/cpu${group[1]}/cpu.cfs_quota_us`, 'utf8');
      assert.equal(quota.trim(), '-1', 'alone on its CPU it needs no quota');
    }

    await cluster.kill();
    await cluster.restart();
    const late = await create('late', {});
    assert.equal(await until(late, (cpus) => cpus === left), left);
    assert.equal(await cpusOf(alone), own);
    await cluster.client.resource(PODS, 'default').delete('alone');
    for (const pod of [sharing, late]) assert.equal(await until(pod, (cpus) => cpus === all), all);
  });
});

/** The numbers in a list such as `0-1,3`. */
function expand(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
