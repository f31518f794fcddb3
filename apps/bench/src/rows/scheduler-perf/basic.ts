import { NODES, PODS, PRIORITY_CLASSES, SERVICES } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { createBatch, every, makeRoom, podOf } from './workload.ts';
import type { PodShape, Workload } from './workload.ts';

const LIGHT: PodShape = { requests: {} };
const GATED: PodShape = { ...LIGHT, schedulingGates: [{ name: 'example.com/hold' }] };
const LOW: PodShape = { requests: { cpu: '900m', memory: '500Mi' } };
const HIGH: PodShape = { requests: { cpu: '3', memory: '500Mi' }, priorityClassName: 'high' };
/** Larger than any node. */
const LARGE: PodShape = { requests: { cpu: '9', memory: '500Mi' }, priorityClassName: 'high' };

async function makePriority(client: Client): Promise<void> {
  await client.resource(PRIORITY_CLASSES).create({ metadata: { name: 'high' }, value: 10 });
}

/** One more pod of a shape every 200 ms. */
const more =
  (shape: PodShape): NonNullable<Workload['meanwhile']> =>
  (client, signal) =>
    every(200, signal, (i) => client.resource(PODS, 'default').create(podOf(`more-${i}`, 'default', shape)));

/** Deletes pods one by one, so many a second. */
async function deleteSlowly(
  client: Client,
  names: readonly string[],
  { perSecond, signal }: { readonly perSecond: number; readonly signal: AbortSignal },
): Promise<void> {
  const api = client.resource(PODS, 'default');
  await every(1000 / perSecond, signal, async (i) => {
    const name = names[i];
    if (name !== undefined) await api.delete(name, { gracePeriodSeconds: 0 });
  });
}

/** A node, a pod that fits nowhere and a Service, made and deleted again each second. */
async function churn(client: Client, signal: AbortSignal): Promise<void> {
  const [nodes, pods] = [client.resource(NODES), client.resource(PODS, 'default')];
  const services = client.resource(SERVICES, 'default');
  await every(1000, signal, async (i) => {
    const name = `churn-${i}`;
    await nodes.create({ metadata: { name }, spec: {} });
    await pods.create(podOf(name, 'default', LARGE));
    await services.create({ metadata: { name }, spec: { selector: { app: 'foo' }, ports: [{ port: 80 }] } });
    await Promise.all([nodes.delete(name), pods.delete(name, { gracePeriodSeconds: 0 }), services.delete(name)]);
  });
}

const unschedulable = (before: number, name: string, floor: number): Workload => ({
  name,
  floor,
  prepare: makePriority,
  initial: [{ count: before, shape: LIGHT }],
  measured: { count: 10_000, shape: {} },
  meanwhile: more(LARGE),
});

export const BASIC: readonly Workload[] = [
  {
    name: 'SchedulingBasic-50000Pods',
    floor: 810,
    initial: [{ count: 5000, shape: {} }],
    measured: { count: 50_000, shape: {} },
  },
  {
    name: 'SchedulingDaemonset',
    floor: 1100,
    nodes: { count: 15_000 },
    measured: {
      count: 30_000,
      shape: (i) => ({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchFields: [{ key: 'metadata.name', operator: 'In', values: [`bench-${i % 15_000}`] }] },
              ],
            },
          },
        },
      }),
    },
  },
  {
    name: 'SchedulingWithMixedChurn',
    floor: 710,
    prepare: makePriority,
    measured: { count: 10_000, shape: {} },
    meanwhile: churn,
  },
  {
    name: 'SchedulingWhileGated',
    floor: 910,
    nodes: { count: 1 },
    async prepare(client) {
      await makeRoom(client, 'bench-0', '90000');
      await createBatch(client, 'gated', { count: 10_000, shape: GATED });
    },
    initial: [{ count: 20_000, shape: LIGHT }],
    measured: { count: 20_000, shape: LIGHT },
    meanwhile(client, signal) {
      const names = Array.from({ length: 20_000 }, (_, i) => `before-0-${i}`);
      return deleteSlowly(client, names, { perSecond: 50, signal });
    },
  },
  {
    name: 'SchedulingDeletedPodsWithFinalizers',
    floor: 830,
    // All of them are made before the time begins, as upstream's are; nobody waits until they have nodes.
    async prepare(client) {
      const shape = { ...LIGHT, finalizers: ['example.com/finalizer'] };
      await createBatch(client, 'finalized', { count: 5000, shape });
    },
    measured: { count: 5000, shape: LIGHT },
    meanwhile(client, signal) {
      const names = Array.from({ length: 5000 }, (_, i) => `finalized-${i}`);
      return deleteSlowly(client, names, { perSecond: 100, signal });
    },
  },
  // Upstream has it with DRAExtendedResource and without: here classes of devices are always asked for, by their names.
  {
    name: 'SchedulingWithExtendedResource',
    floor: 180,
    nodes: { resources: { 'foo.com/bar': '8' } },
    measured: { count: 5000, shape: { resources: { 'foo.com/bar': '1' } } },
  },
  {
    name: 'PreemptionAsync',
    floor: 570,
    prepare: makePriority,
    initial: [{ count: 20_000, shape: LOW }],
    measured: { count: 5000, shape: {} },
    meanwhile: more(HIGH),
  },
  unschedulable(100, 'Unschedulable', 590),
  unschedulable(20_000, 'Unschedulable-20kInit', 600),
];
