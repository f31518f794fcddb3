/** Pods of all shapes come and go while their node's process is killed at random; nothing of them may stay. */
import { AssertionError } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { CONFIG_MAPS, PODS, SECRETS } from '@binnacle/api';
import type { Pod, PodSpec } from '@binnacle/api/core/v1';
import { lookUntil, nodeRemains, skipWithoutContainerd, startContainerdCluster, waitFor } from '@binnacle/testkit';
import type { NodeRemains, OneProcessCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const NAMESPACE = 'default';
const FOREVER = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 1 & wait $!; done'];
const BASE = { name: 'c', image: IMAGE, imagePullPolicy: 'Never' as const, command: FOREVER };

/** Each shape is one way to leave something behind. */
const SHAPES: readonly ((port: number) => Partial<PodSpec>)[] = [
  () => ({ containers: [BASE] }),
  () => ({
    containers: [
      {
        ...BASE,
        volumeMounts: [
          { name: 'ram', mountPath: '/ram' },
          { name: 'ram', mountPath: '/part', subPath: 'part' },
          { name: 'secret', mountPath: '/secret' },
        ],
      },
    ],
    volumes: [
      { name: 'ram', emptyDir: { medium: 'Memory' } },
      { name: 'secret', secret: { secretName: 'secret' } },
    ],
  }),
  () => ({
    containers: [
      {
        ...BASE,
        volumeMounts: [
          { name: 'image', mountPath: '/image' },
          { name: 'cm', mountPath: '/cm' },
        ],
      },
    ],
    volumes: [
      { name: 'image', image: { reference: IMAGE, pullPolicy: 'Never' } },
      { name: 'cm', configMap: { name: 'settings' } },
    ],
  }),
  () => ({ hostNetwork: true, hostPID: true, containers: [BASE] }),
  () => ({
    initContainers: [
      { ...BASE, name: 'first', command: ['true'] },
      { ...BASE, name: 'beside', restartPolicy: 'Always' },
    ],
    containers: [BASE],
  }),
  () => ({ containers: [{ ...BASE, command: ['sh', '-c', 'exit 1'] }] }),
  () => ({ restartPolicy: 'Never', containers: [{ ...BASE, command: ['true'] }] }),
  () => ({ containers: [{ ...BASE, image: 'binnacle.local/none:1' }] }),
  () => ({ containers: [{ ...BASE, command: ['/no/such/program'] }] }),
  (port) => ({ containers: [{ ...BASE, ports: [{ containerPort: 80, hostPort: port }] }] }),
  () => ({ containers: [{ ...BASE, command: ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done'] }] }),
  () => ({
    containers: [
      { ...BASE, resources: { limits: { cpu: '10m', memory: '16Mi' } } },
      { ...BASE, name: 'd', tty: true },
    ],
    shareProcessNamespace: true,
  }),
];

/** How much of it. */
export interface Flood {
  readonly pods: number;
  /** How often the node's process is killed meanwhile. */
  readonly kills: number;
  readonly seed: number;
}

/** That are not to go yet, and with those that are. */
const ALIVE_MAX = 24;
const AT_ONCE_MAX = 30;
const PORTS_FROM = 31_000;

/** Tests that such a flood leaves nothing behind on a cluster of its own. */
export async function testFlood(flood: Flood): Promise<void> {
  const skip = await skipWithoutContainerd();
  const name = `${flood.pods} pods of all shapes leave nothing behind, though their kubelet is killed (seed ${flood.seed})`;
  test(name, { skip }, async () => {
    // So that what stays says why: its kubelet tells of each step.
    const cluster = await startContainerdCluster(['-v', '4']);
    try {
      await floodWithPods(cluster, flood);
    } finally {
      await cluster.stop();
    }
  });
}

/** Runs the flood on a cluster and compares what the node has before and after. Fails with what is left. */
async function floodWithPods(cluster: OneProcessCluster, flood: Flood): Promise<void> {
  const random = createSeededRandom(flood.seed);
  const { client } = cluster;
  await client.resource(SECRETS, NAMESPACE).create({ metadata: { name: 'secret' }, data: { a: btoa('b') } });
  await client.resource(CONFIG_MAPS, NAMESPACE).create({ metadata: { name: 'settings' }, data: { a: 'b' } });
  const uids: string[] = [];
  const before = await nodeRemains(cluster.dataDir, uids);
  const killEvery = Math.ceil(flood.pods / (flood.kills + 1));
  const alive: string[] = [];
  for (let i = 0; i < flood.pods; i++) {
    const name = `pod-${i}`;
    const shape = SHAPES[i % SHAPES.length] ?? SHAPES[0];
    const spec = { terminationGracePeriodSeconds: 1, ...shape?.(PORTS_FROM + i) } as PodSpec;
    const pod = await client.resource(PODS, NAMESPACE).create({ metadata: { name }, spec });
    uids.push(pod.metadata.uid ?? '');
    alive.push(name);
    if (i === SHAPES.length) await untilGrown(cluster, before, uids);
    if (alive.length >= ALIVE_MAX) await deleteSome(cluster, alive, () => randomBelow(random, alive.length));
    if (i >= AT_ONCE_MAX) await untilFew(cluster, { what: 'room for one more', most: AT_ONCE_MAX, deadlineMs: 60_000 });
    if (i > 0 && i % killEvery === 0) {
      await cluster.kill();
      await cluster.restart();
    }
  }
  await client.resource(PODS, NAMESPACE).deleteCollection();
  await untilFew(cluster, { what: 'all pods to go', most: 0, deadlineMs: 120_000 });
  await untilSame(cluster, before, uids);
}

/** Waits until no more pods than that are there. Fails with what is known of those that are to go and stay. */
async function untilFew(
  cluster: OneProcessCluster,
  of: { readonly what: string; readonly most: number; readonly deadlineMs: number },
): Promise<void> {
  const { client } = cluster;
  const wait = { client, resource: PODS, namespace: NAMESPACE, what: of.what, deadlineMs: of.deadlineMs };
  try {
    await waitFor({ ...wait, until: (pods: readonly Pod[]) => pods.length <= of.most });
  } catch (error) {
    // Asked anew: a watch may have lost the last word of one that is gone.
    const { items } = await client.resource(PODS, NAMESPACE).list();
    const left = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    throw new AssertionError({ message: `${String(error)}\n${tellOf(cluster, left)}` });
  }
}

const LINES_SHOWN_MAX = 60;

/** Each pod as the API has it, and what its kubelet and its containerd said of it. */
function tellOf(cluster: OneProcessCluster, pods: readonly Pod[]): string {
  if (pods.length === 0) return 'The API has none of them any more: their end was not seen.';
  return pods
    .flatMap((pod) => [
      `--- ${JSON.stringify({ metadata: { ...pod.metadata, managedFields: undefined }, status: pod.status })}`,
      ...saidOf(cluster, pod),
    ])
    .join('\n');
}

/** What its kubelet and its containerd said of a pod. */
function saidOf(cluster: OneProcessCluster, pod: Pod): readonly string[] {
  const logs: readonly (readonly [string, string])[] = [
    ['kubelet', cluster.output()],
    ['containerd', readFileSync(join(cluster.dataDir, 'containerd/containerd.log'), 'utf8')],
  ];
  return logs.flatMap(([from, text]) => linesAbout(pod, text).map((line) => `${from}: ${line}`));
}

/** Those that name the pod, its sandboxes and its containers. */
function linesAbout({ metadata: { name = '', uid = '' } }: Pod, text: string): readonly string[] {
  const lines = text.split('\n');
  const isNamed = (line: string): boolean => line.includes(uid) || new RegExp(`\\b${name}\\b`).test(line);
  const ids = new Set(lines.filter(isNamed).flatMap((line) => line.match(/\b[0-9a-f]{64}\b/g) ?? []));
  return lines
    .filter((line) => isNamed(line) || (line.match(/\b[0-9a-f]{64}\b/g) ?? []).some((id) => ids.has(id)))
    .slice(-LINES_SHOWN_MAX);
}

/** Some go as they start, some as they run: half of those that are there. Others come as soon as there is room for one. */
async function deleteSome(cluster: OneProcessCluster, alive: string[], pick: () => number): Promise<void> {
  const { client } = cluster;
  const chosen = Array.from({ length: Math.floor(alive.length / 2) }, () => alive.splice(pick(), 1)[0] ?? '');
  await Promise.all(chosen.map((name) => client.resource(PODS, NAMESPACE).delete(name)));
}

const KINDS = [
  'mounts',
  'mountsWithin',
  'networkNamespaces',
  'links',
  'addresses',
  'cgroups',
  'rules',
  'folders',
] as const;

/** Pods do have all of these: whoever looks for what they leave sees what they have. */
async function untilGrown(cluster: OneProcessCluster, before: NodeRemains, uids: readonly string[]): Promise<void> {
  await lookUntil({
    what: 'pods to have some of each, which they have none of',
    look: async () => {
      const now = await nodeRemains(cluster.dataDir, uids);
      const same: string[] = KINDS.filter((kind) => now[kind].length <= before[kind].length);
      return now.shims <= before.shims ? [...same, 'shims'] : same;
    },
    until: (same) => same.length === 0,
    everyMs: LOOK_MS,
  });
}

const LOOK_MS = 250;

/** No event tells of the last shim's end. Fails with what is left, and what is known of the pods that left it. */
async function untilSame(cluster: OneProcessCluster, before: NodeRemains, uids: readonly string[]): Promise<void> {
  const wanted = JSON.stringify(before);
  const look = (): Promise<NodeRemains> => nodeRemains(cluster.dataDir, uids);
  try {
    await lookUntil({
      what: `what was there before: ${wanted}`,
      look,
      until: (now) => JSON.stringify(now) === wanted,
      everyMs: LOOK_MS,
    });
  } catch (error) {
    const { folders } = await look();
    const left = uids.flatMap((uid, i) =>
      folders.some((folder) => folder.includes(uid)) ? [{ metadata: { name: `pod-${i}`, uid } } as Pod] : [],
    );
    const said = left.flatMap((pod) => [`--- ${pod.metadata.name ?? ''}`, ...saidOf(cluster, pod)]);
    throw new AssertionError({ message: `${String(error)}\n${said.join('\n')}` });
  }
}
