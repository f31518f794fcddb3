/** Disks that run full, with real containers: what a pod gives back when it has to go, and who stays. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isPodReady, NODES, PODS } from '@binnacle/api';
import type { Pod, PodSpec } from '@binnacle/api/core/v1';
import {
  findKubectl,
  kubectlOutput,
  lookUntil,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { Kubectl, OneProcessCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const MI = 2 ** 20;
const DISK_MI = 96;
const WRITTEN_MI = 40;
const KEPT_FREE = 0.15;
const DEADLINE_MS = 60_000;
const NAMESPACE = 'default';
const CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
evictionHard: {imagefs.available: '${KEPT_FREE * 100}%', nodefs.available: '${KEPT_FREE * 100}%'}
evictionPressureTransitionPeriod: 1s
`;

/** Of the private containerd, and of the pods' volumes. */
const DISKS = ['containerd/root', 'kubelet'] as const;

interface Summary {
  readonly pods: readonly {
    readonly podRef: { readonly name: string };
    readonly containers?: readonly { readonly rootfs?: { readonly usedBytes?: number } }[];
  }[];
}

const cases: readonly {
  readonly what: string;
  readonly disk: (typeof DISKS)[number];
  readonly file: string;
  readonly volumes: PodSpec['volumes'];
}[] = [
  { what: 'layer', disk: 'containerd/root', file: '/file', volumes: [] },
  { what: 'volume', disk: 'kubelet', file: '/v/file', volumes: [{ name: 'v', emptyDir: {} }] },
];

const kubectl = await findKubectl();
const skip = (await skipWithoutContainerd()) || (kubectl === undefined && 'no kubectl');

describe('disks that run full', { skip }, () => {
  let cluster: OneProcessCluster;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
    await writeFile(join(folder, 'kubelet.yaml'), CONFIG);
    cluster = await startContainerdCluster(['--config', join(folder, 'kubelet.yaml')], { prepare: mountDisks });
  });
  after(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true });
  });

  const create = async (of: (typeof cases)[number], name: string, mebibytes: number): Promise<void> => {
    const write = `dd if=/dev/zero of=${of.file} bs=1M count=${mebibytes} && touch /done && exec sleep 1000`;
    const container = {
      name: 'c',
      image: IMAGE,
      command: ['sh', '-c', write],
      readinessProbe: { exec: { command: ['test', '-f', '/done'] }, periodSeconds: 1 },
      volumeMounts: (of.volumes ?? []).map((volume) => ({ name: volume.name, mountPath: '/v' })),
    };
    const spec: PodSpec = { containers: [container], volumes: of.volumes ?? [], terminationGracePeriodSeconds: 1 };
    await cluster.client.resource(PODS, NAMESPACE).create({ metadata: { name }, spec });
    await until(name, `${name} to have written`, isPodReady);
  };
  const until = async (name: string, what: string, wanted: (pod: Pod) => boolean): Promise<Pod> => {
    const { client } = cluster;
    const wait = { client, resource: PODS, namespace: NAMESPACE, name, what, deadlineMs: DEADLINE_MS };
    const [pod] = await waitFor({ ...wait, until: (all) => all[0] !== undefined && wanted(all[0]) });
    return pod as Pod;
  };
  const freePart = (disk: string): number => {
    const { bavail, blocks } = statfsSync(join(cluster.dataDir, disk));
    return bavail / blocks;
  };
  /** What the kubelet tells of a pod's layer: it is counted at times. */
  const untilCounted = async (name: string): Promise<void> => {
    const [node] = (await cluster.client.resource(NODES).list()).items;
    const path = `/api/v1/nodes/${node?.metadata.name}/proxy/stats/summary`;
    const look = async (): Promise<number> => {
      const text = await kubectlOutput(kubectl as Kubectl, cluster.kubeconfig, ['get', '--raw', path]);
      const { pods } = JSON.parse(text) as Summary;
      const found = pods.find(({ podRef }) => podRef.name === name);
      return found?.containers?.[0]?.rootfs?.usedBytes ?? 0;
    };
    const wanted = (bytes: number): boolean => bytes >= WRITTEN_MI * MI;
    await lookUntil({ what: `the layer of ${name}`, look, until: wanted, everyMs: 500, deadlineMs: DEADLINE_MS });
  };

  for (const one of cases) {
    test(`a ${one.what} that fills a disk goes with its pod, and nobody else has to`, async () => {
      const [writer, innocent] = [`${one.what}-writer`, `${one.what}-innocent`];
      await create(one, innocent, 5);
      await create(one, writer, WRITTEN_MI);
      if (one.what === 'layer') await untilCounted(writer);
      // Somebody else takes nearly all of the rest.
      const part = freePart(one.disk) - KEPT_FREE * 0.6;
      writeFileSync(join(cluster.dataDir, one.disk, 'others'), new Uint8Array(Math.floor(part * DISK_MI * MI)));
      const evicted = await until(writer, `${writer} to be evicted`, ({ status }) => status?.reason === 'Evicted');
      assert.match(evicted.status?.message ?? '', /^The node was low on resource: ephemeral-storage\. /);
      await lookUntil({
        what: 'what it took to be free',
        look: () => freePart(one.disk),
        until: (part) => part > KEPT_FREE,
        everyMs: 250,
        deadlineMs: DEADLINE_MS,
      });
      await waitFor({
        client: cluster.client,
        resource: NODES,
        what: 'the node to be well again',
        until: ([node]) => node?.status?.conditions?.find(({ type }) => type === 'DiskPressure')?.status === 'False',
        deadlineMs: DEADLINE_MS,
      });
      const { status } = await until(innocent, `${innocent} to run`, () => true);
      assert.deepEqual([status?.phase, status?.containerStatuses?.[0]?.restartCount], ['Running', 0]);
      const told = await until(writer, `${writer} to be told of`, () => true);
      assert.equal(told.status?.reason, 'Evicted');
    });
  }
});

/** Small ones, in memory, below a cluster's folder: they go with it. */
function mountDisks(dataDir: string): void {
  for (const disk of DISKS) {
    const path = join(dataDir, disk);
    mkdirSync(path, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MI}m,mode=0755`, 'tmpfs', path]);
  }
}
