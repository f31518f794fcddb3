/** What a kubelet's file says of pods, on a real node, as the kernel sees it: CPUs for containers alone, and more. */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { isPodReady, NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import {
  containerPids,
  lookUntil,
  podCgroups,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';

const IMAGE = 'binnacle.local/frontend:1.0';
const config = (folder: string): string => `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cpuManagerPolicy: static
reservedSystemCPUs: '0'
memoryManagerPolicy: Static
reservedMemory: [{numaNode: 0, limits: {memory: 100Mi}}]
topologyManagerPolicy: restricted
topologyManagerScope: pod
podPidsLimit: 77
seccompDefault: true
providerID: shipyard://1
resolvConf: ${folder}/resolv.conf
`;
const DEADLINE_MS = 20_000;

interface MemoryBlock {
  readonly numaAffinity: readonly number[];
  readonly type: string;
  readonly size: number;
}

const skip = (await skipWithoutContainerd()) || (availableParallelism() < 2 && 'this machine has one CPU');

describe('CPUs for containers alone', { skip }, () => {
  let cluster: OneProcessCluster;
  let folder: string;
  before(async () => {
    folder = makeTestFolder().path;
    await writeFile(join(folder, 'kubelet.yaml'), config(folder));
    await writeFile(join(folder, 'resolv.conf'), 'nameserver 192.0.2.53\n');
    cluster = await startContainerdCluster(['--config', join(folder, 'kubelet.yaml')]);
  });
  after(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true });
  });

  const create = async (name: string, resources: object, spec: object = {}): Promise<Pod> => {
    const container = { name: 'c', image: IMAGE, command: ['sleep', '1000'], resources };
    await cluster.client
      .resource(PODS, 'default')
      .create({ metadata: { name }, spec: { ...spec, containers: [container], terminationGracePeriodSeconds: 0 } });
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
  /** The memory promised to the container, and the memory nodes that it may use. */
  const memoryOf = async ({ metadata: { uid = '' }, ...pod }: Pod): Promise<string> => {
    const [pid] = containerPids(idOf({ metadata: { uid }, ...pod }));
    const { entries } = JSON.parse(await readFile(join(cluster.dataDir, 'kubelet/memory_manager_state'), 'utf8')) as {
      readonly entries: { readonly [uid: string]: { readonly c: readonly MemoryBlock[] } };
    };
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const nodes = /^Mems_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
    return (entries[uid]?.c ?? [])
      .map(({ numaAffinity, type, size }) => `[${numaAffinity.join()}] ${type} ${size} of ${nodes}`)
      .join();
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

    assert.match(await memoryOf(alone), /^\[0\] memory 33554432 of 0$/);

    await cluster.kill();
    await cluster.restart();
    const late = await create('late', {});
    assert.equal(await until(late, (cpus) => cpus === left), left);
    assert.equal(await cpusOf(alone), own);
    await cluster.client.resource(PODS, 'default').delete('alone');
    for (const pod of [sharing, late]) assert.equal(await until(pod, (cpus) => cpus === all), all);
  });

  test('processes, profiles and name servers as the file says', async () => {
    const pod = await create('bound', {}, { dnsPolicy: 'Default' });
    const [pid] = containerPids(idOf(pod));
    const at = (path: string): Promise<string> => readFile(`/proc/${pid}/${path}`, 'utf8');
    assert.match(await at('status'), /^Seccomp:\s*2$/m);
    assert.match(await at('root/etc/resolv.conf'), /^nameserver 192\.0\.2\.53$/m);
    const groups = podCgroups([pod.metadata.uid ?? '']);
    const limits = await Promise.all(
      // Hierarchies of others have no such file.
      groups.map((group) => readFile(join(group, 'pids.max'), 'utf8').catch(() => undefined)),
    );
    assert.deepEqual(
      limits.filter((limit) => limit !== undefined).map((limit) => limit.trim()),
      ['77'],
    );
    const [node] = (await cluster.client.resource(NODES).list()).items;
    assert.equal(node?.spec?.providerID, 'shipyard://1');
  });
});

/** The numbers in a list such as `0-1,3`. */
function expand(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
