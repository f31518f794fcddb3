import { formatTime } from '@binnacle/base';
import { DAEMON_SETS, NODES, PODS, REPLICA_SETS, STATEFUL_SETS } from '@binnacle/api';
import { startFakeNode } from './test-node.ts';
import type { TestWorld } from './test-world.ts';

/** One thing that can come in numbers. */
export interface Scenario {
  readonly which: readonly string[];
  /** How many objects there are at 1×. */
  readonly size: number;
  prepare?(world: TestWorld, count: number): Promise<void>;
  run(world: TestWorld, count: number): Promise<void>;
}

/** Of pods that run on. */
export const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
/** Of pods that end. */
export const once = { ...template, spec: { ...template.spec, restartPolicy: 'Never' as const } };
/** From 0 on. */
export const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** A pod of the namespace `default` that is ready on the node `n1`. */
export function seedReadyPod(world: TestWorld, number: number, app: string): void {
  world.api.seed(PODS, {
    metadata: { name: `p${number}`, namespace: 'default', labels: { app } },
    spec: { containers: [{ name: 'c', image: 'x' }], nodeName: 'n1' },
    status: {
      phase: 'Running',
      podIPs: [{ ip: `10.${number >> 8}.${number & 255}.1` }],
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(world.clock.now()) }],
    },
  });
}

const selector = { matchLabels: { a: 'b' } };
/** Until as many pods as a scenario has are ready. */
const SETTLED_MS = 20_000;

/** The replica set `web` of so many pods, all of them ready. */
export async function runReplicaSet(world: TestWorld, replicas: number): Promise<void> {
  startFakeNode(world);
  const spec = { replicas, selector, template };
  await world.client.resource(REPLICA_SETS, 'default').create({ metadata: { name: 'web' }, spec });
  await world.run(SETTLED_MS);
}

/** The daemon set `agent` on so many nodes, its pods ready. */
export async function runDaemonSet(world: TestWorld, nodes: number): Promise<void> {
  startFakeNode(world);
  for (const i of numbers(nodes)) world.api.seed(NODES, { metadata: { name: `n${i}` }, spec: {} });
  await world.client
    .resource(DAEMON_SETS, 'default')
    .create({ metadata: { name: 'agent' }, spec: { selector, template } });
  await world.run(SETTLED_MS);
}

/** The stateful set `web` of so many pods at once, all of them ready. */
export async function runParallelSet(world: TestWorld, replicas: number): Promise<void> {
  startFakeNode(world);
  const spec = { replicas, podManagementPolicy: 'Parallel' as const, serviceName: 's', selector, template };
  await world.client.resource(STATEFUL_SETS, 'default').create({ metadata: { name: 'web' }, spec });
  await world.run(SETTLED_MS);
}

/** All pods that there are end badly. */
export function failPods(world: TestWorld): void {
  for (const pod of world.api.objects(PODS)) world.api.setStatus(PODS, pod, { ...pod.status, phase: 'Failed' });
}
