import type { Affinity, Pod, TopologySpreadConstraint } from '@binnacle/api/core/v1';
import type { Draft } from '@binnacle/client';
import { createNodes, untilBound } from '../fill.ts';
import type { NodeShape } from '../fill.ts';
import { createPods } from '../pods.ts';
import { startProgram } from '../program.ts';
import { atLeast } from '../row.ts';
import type { Measurement } from '../row.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const NODES = 5_000;
/** What is wanted of each: so many times upstream's floor. */
const TIMES = 5;

interface PodShape {
  readonly labels?: { readonly [key: string]: string };
  readonly affinity?: Affinity;
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly resources?: { readonly [name: string]: string };
}

/** A workload of upstream's scheduler_perf: pods that are there before, and those whose way onto nodes is timed. */
interface Workload {
  readonly name: string;
  /** Upstream's floor, pods a second. */
  readonly floor: number;
  readonly nodes?: NodeShape;
  readonly initial: readonly [count: number, shape: PodShape];
  readonly measured: readonly [count: number, shape: PodShape];
}

const colour = (name: string): { readonly color: string } => ({ color: name });
const term = (name: string, topologyKey: string): { labelSelector: { matchLabels: object }; topologyKey: string } => ({
  labelSelector: { matchLabels: colour(name) },
  topologyKey,
});
const weighted = (name: string): { weight: number; podAffinityTerm: ReturnType<typeof term> }[] => [
  { weight: 1, podAffinityTerm: term(name, HOST) },
];
const spread = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'): PodShape => ({
  labels: colour('blue'),
  topologySpreadConstraints: [
    { maxSkew: 5, topologyKey: ZONE, whenUnsatisfiable, labelSelector: { matchLabels: colour('blue') } },
  ],
});
const zones: NodeShape = { labels: (i) => ({ [ZONE]: `zone-${i % 3}` }) };
const oneZone: NodeShape = { labels: () => ({ [ZONE]: 'zone1' }) };
const shaped = (affinity: object, labels = colour('blue')): PodShape => ({ labels, affinity: affinity as Affinity });

const AWAY = shaped(
  { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('green', HOST)] } },
  colour('green'),
);
const NEAR = shaped({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('blue', ZONE)] } });
const LIKES = shaped(
  { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: weighted('red') } },
  colour('red'),
);
const DISLIKES = shaped(
  { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: weighted('yellow') } },
  colour('yellow'),
);
const IN_ZONE = shaped({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['zone1', 'zone2'] }] }],
    },
  },
});

const WORKLOADS: readonly Workload[] = [
  { name: 'SchedulingPodAntiAffinity', floor: 60, initial: [1000, AWAY], measured: [2000, AWAY] },
  { name: 'SchedulingPodAffinity', floor: 35, nodes: oneZone, initial: [5000, NEAR], measured: [5000, NEAR] },
  { name: 'SchedulingPreferredPodAffinity', floor: 90, initial: [5000, LIKES], measured: [5000, LIKES] },
  { name: 'SchedulingPreferredPodAntiAffinity', floor: 90, initial: [5000, DISLIKES], measured: [5000, DISLIKES] },
  { name: 'SchedulingNodeAffinity', floor: 220, nodes: oneZone, initial: [5000, IN_ZONE], measured: [10_000, IN_ZONE] },
  {
    name: 'TopologySpreading',
    floor: 460,
    nodes: zones,
    initial: [5000, {}],
    measured: [5000, spread('DoNotSchedule')],
  },
  {
    name: 'PreferredTopologySpreading',
    floor: 340,
    nodes: zones,
    initial: [5000, {}],
    measured: [5000, spread('ScheduleAnyway')],
  },
  {
    name: 'SchedulingWithExtendedResource',
    floor: 180,
    nodes: { resources: { 'foo.com/bar': '8' } },
    initial: [0, {}],
    measured: [5000, { resources: { 'foo.com/bar': '1' } }],
  },
];

function pod(name: string, { labels = {}, resources = {}, ...spec }: PodShape): Draft<Pod> {
  const requests = { cpu: '100m', memory: '500Mi', ...resources };
  const container = { name: 'pause', image: 'pause', resources: { requests, limits: resources } };
  return {
    metadata: { name, labels },
    spec: { ...spec, automountServiceAccountToken: false, containers: [container] },
  };
}

function measurementOf({ name, floor, nodes, initial, measured }: Workload): Measurement {
  return {
    name: `perf-${name}`,
    async run() {
      const program = await startProgram(['--runtime', 'simulated', '--nodes', '0', '--store', 'memory']);
      try {
        const { client } = program;
        await createNodes(client, NODES, nodes);
        const [before, shape] = initial;
        await Promise.all([createPods(client, before, (i) => pod(`before-${i}`, shape)), untilBound(client, before)]);
        const [count, timed] = measured;
        const done = untilBound(client, before + count);
        const began = performance.now();
        await Promise.all([createPods(client, count, (i) => pod(`timed-${i}`, timed)), done]);
        const seconds = (performance.now() - began) / 1000;
        const reference = { name: `upstream's floor (scheduler_perf ${name})`, value: floor };
        const row = { name: `${name}, 5,000 nodes`, value: Math.round(count / seconds), unit: 'pods/s', reference };
        return [atLeast(row, TIMES * floor)];
      } finally {
        await program.stop();
      }
    },
  };
}

/** Workloads of upstream's scheduler_perf through the whole way: created, decided, bound and seen over HTTPS. */
export const schedulerPerf: readonly Measurement[] = WORKLOADS.map(measurementOf);
