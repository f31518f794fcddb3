/**
 * The workloads of upstream's scheduler_perf, decisions alone: in this process, without API server and binding.
 * `node packages/scheduler/bench/workloads.ts [NAME…]` prints one line each, beside upstream's floor for the whole way.
 */
import { NAMESPACES, SERVICES } from '@binnacle/api';
import type { Pod, PodAffinityTerm } from '@binnacle/api/core/v1';
import { demandOf } from '../src/plan/demand.ts';
import { makeNode, makePod } from '../src/testing/objects.ts';
import { Scene } from '../src/testing/scene.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

type PodSpec = NonNullable<Parameters<typeof makePod>[1]>;

interface Workload {
  readonly name: string;
  /** Upstream's floor, pods per second. */
  readonly floor: number;
  readonly nodes: number;
  readonly zones?: number;
  /** Tainted nodes besides. */
  readonly tainted?: number;
  readonly before?: (scene: Scene) => void;
  readonly initial: readonly [count: number, spec: (i: number) => PodSpec][];
  readonly measured: readonly [count: number, spec: (i: number) => PodSpec];
  /** One such pod comes in between after so many. */
  readonly between?: readonly [every: number, spec: () => PodSpec];
}

const plain: PodSpec = { cpu: '100m', memory: '500Mi' };
const colour = (name: string): Record<string, string> => ({ color: name });
const term = (name: string, topologyKey: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  labelSelector: { matchLabels: colour(name) },
  topologyKey,
  namespaces: ['sched-0', 'sched-1'],
  ...more,
});
const weighted = (t: PodAffinityTerm): { weight: number; podAffinityTerm: PodAffinityTerm } => ({
  weight: 1,
  podAffinityTerm: t,
});

function away(t: PodAffinityTerm, name: string, namespace = 'sched-1'): PodSpec {
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [t] };
  return { ...plain, namespace, labels: colour(name), affinity: { podAntiAffinity } };
}

function near(t: PodAffinityTerm, name: string, namespace = 'sched-1'): PodSpec {
  const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [t] };
  return { ...plain, namespace, labels: colour(name), affinity: { podAffinity } };
}

function likes(t: PodAffinityTerm, name: string, namespace = 'sched-1'): PodSpec {
  const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [weighted(t)] };
  return { ...plain, namespace, labels: colour(name), affinity: { podAffinity } };
}

function dislikes(t: PodAffinityTerm, name: string, namespace = 'sched-1'): PodSpec {
  const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [weighted(t)] };
  return { ...plain, namespace, labels: colour(name), affinity: { podAntiAffinity } };
}

function spread(whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway', topologyKey = ZONE): PodSpec {
  const labelSelector = { matchLabels: colour('blue') };
  return {
    ...plain,
    labels: colour('blue'),
    topologySpreadConstraints: [{ maxSkew: 5, topologyKey, whenUnsatisfiable, labelSelector }],
  };
}

const namespaces = (scene: Scene): void => {
  for (let i = 0; i < 100; i++) {
    scene.object(NAMESPACES, { metadata: { name: `init-${i}`, labels: { team: 'devops' } }, spec: {} });
  }
  scene.object(NAMESPACES, { metadata: { name: 'sched-1', labels: { team: 'devops' } }, spec: {} });
};
const bySelector = (name: string, topologyKey: string): PodAffinityTerm => ({
  labelSelector: { matchLabels: colour(name) },
  topologyKey,
  namespaceSelector: { matchLabels: { team: 'devops' } },
});

const WORKLOADS: readonly Workload[] = [
  {
    name: 'SchedulingBasic',
    floor: 680,
    nodes: 5_000,
    initial: [[1_000, () => plain]],
    measured: [10_000, () => plain],
  },
  {
    name: 'SchedulingDaemonset',
    floor: 1_100,
    nodes: 15_000,
    initial: [],
    measured: [
      30_000,
      (i) => ({
        ...plain,
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchFields: [{ key: 'metadata.name', operator: 'In', values: [`n${i % 15_000}`] }] },
              ],
            },
          },
        },
      }),
    ],
  },
  {
    name: 'SchedulingWithExtendedResource',
    floor: 180,
    nodes: 5_000,
    initial: [],
    measured: [5_000, () => ({ ...plain, resources: { 'foo.com/bar': '1' } })],
  },
  {
    name: 'PreemptionAsync',
    floor: 570,
    nodes: 5_000,
    initial: [[20_000, () => ({ cpu: '900m', memory: '500Mi', priority: 1 })]],
    measured: [5_000, () => ({ cpu: '10m', memory: '10Mi', priority: 1 })],
    between: [500, () => ({ cpu: '3', memory: '500Mi', priority: 100 })],
  },
  {
    name: 'Unschedulable',
    floor: 590,
    nodes: 5_000,
    initial: [[100, () => plain]],
    measured: [10_000, () => plain],
    between: [500, () => ({ cpu: '1', nodeSelector: { absent: 'true' } })],
  },
  {
    name: 'TopologySpreading',
    floor: 460,
    nodes: 5_000,
    zones: 3,
    initial: [[5_000, () => plain]],
    measured: [5_000, () => spread('DoNotSchedule')],
  },
  {
    name: 'PreferredTopologySpreading',
    floor: 340,
    nodes: 5_000,
    zones: 3,
    initial: [[5_000, () => plain]],
    measured: [5_000, () => spread('ScheduleAnyway')],
  },
  {
    name: 'DefaultTopologySpreading',
    floor: 160,
    nodes: 5_000,
    zones: 3,
    before: (scene) =>
      void scene.object(SERVICES, {
        metadata: { name: 's', namespace: 'default' },
        spec: { selector: colour('blue') },
      }),
    initial: [[5_000, () => plain]],
    measured: [20_000, () => ({ ...plain, cpu: '10m', memory: '10Mi', labels: colour('blue') })],
  },
  {
    name: 'SchedulingWithNodeInclusionPolicy',
    floor: 270,
    nodes: 4_000,
    tainted: 1_000,
    initial: [],
    measured: [
      4_000,
      () => ({
        ...plain,
        labels: colour('blue'),
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: HOST,
            whenUnsatisfiable: 'DoNotSchedule' as const,
            nodeTaintsPolicy: 'Honor' as const,
            labelSelector: { matchLabels: colour('blue') },
          },
        ],
      }),
    ],
  },
  {
    name: 'SchedulingPodAntiAffinity',
    floor: 60,
    nodes: 5_000,
    initial: [[1_000, () => away(term('green', HOST), 'green', 'sched-0')]],
    measured: [2_000, () => away(term('green', HOST), 'green')],
  },
  {
    name: 'SchedulingPodMatchingAntiAffinity',
    floor: 595,
    nodes: 5_000,
    initial: [[1_000, () => away(term('green', HOST), 'green', 'sched-0')]],
    measured: [5_000, () => ({ ...plain, namespace: 'sched-1', labels: colour('green') })],
  },
  {
    name: 'SchedulingPodAffinity',
    floor: 35,
    nodes: 5_000,
    zones: 1,
    initial: [[5_000, () => near(term('blue', ZONE), 'blue', 'sched-0')]],
    measured: [5_000, () => near(term('blue', ZONE), 'blue')],
  },
  {
    name: 'SchedulingPreferredPodAffinity',
    floor: 90,
    nodes: 5_000,
    initial: [[5_000, () => likes(term('red', HOST), 'red', 'sched-0')]],
    measured: [5_000, () => likes(term('red', HOST), 'red')],
  },
  {
    name: 'SchedulingPreferredPodAntiAffinity',
    floor: 90,
    nodes: 5_000,
    initial: [[5_000, () => dislikes(term('yellow', HOST), 'yellow', 'sched-0')]],
    measured: [5_000, () => dislikes(term('yellow', HOST), 'yellow')],
  },
  {
    name: 'SchedulingNodeAffinity',
    floor: 220,
    nodes: 5_000,
    zones: 1,
    initial: [[5_000, () => plain]],
    measured: [
      10_000,
      () => ({
        ...plain,
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['z0', 'z9'] }] }],
            },
          },
        },
      }),
    ],
  },
  {
    name: 'MixedSchedulingBasePod',
    floor: 140,
    nodes: 5_000,
    zones: 1,
    initial: [
      [2_000, () => ({ ...plain, namespace: 'sched-0' })],
      [2_000, () => near(term('blue', ZONE), 'blue', 'sched-0')],
      [2_000, () => away(term('green', HOST), 'green', 'sched-0')],
      [2_000, () => likes(term('red', HOST), 'red', 'sched-0')],
      [2_000, () => dislikes(term('yellow', HOST), 'yellow', 'sched-0')],
    ],
    measured: [5_000, () => ({ ...plain, namespace: 'sched-1' })],
  },
  {
    name: 'SchedulingRequiredPodAntiAffinityWithNSSelector',
    floor: 24,
    nodes: 6_000,
    before: namespaces,
    initial: [[4_000, (i) => away(bySelector('green', HOST), 'green', `init-${i % 100}`)]],
    measured: [2_000, () => away(bySelector('green', HOST), 'green')],
  },
  {
    name: 'SchedulingPreferredAntiAffinityWithNSSelector',
    floor: 55,
    nodes: 5_000,
    before: namespaces,
    initial: [[4_000, (i) => dislikes(bySelector('yellow', HOST), 'yellow', `init-${i % 100}`)]],
    measured: [2_000, () => dislikes(bySelector('yellow', HOST), 'yellow')],
  },
  {
    name: 'SchedulingRequiredPodAffinityWithNSSelector',
    floor: 35,
    nodes: 5_000,
    zones: 1,
    before: namespaces,
    initial: [[5_000, (i) => near(bySelector('blue', ZONE), 'blue', `init-${i % 100}`)]],
    measured: [2_000, () => near(bySelector('blue', ZONE), 'blue')],
  },
  {
    name: 'SchedulingPreferredAffinityWithNSSelector',
    floor: 90,
    nodes: 5_000,
    before: namespaces,
    initial: [[5_000, (i) => likes(bySelector('red', HOST), 'red', `init-${i % 100}`)]],
    measured: [5_000, () => likes(bySelector('red', HOST), 'red')],
  },
];

function setUp({ nodes, zones = 0, tainted = 0, before }: Workload): Scene {
  const scene = new Scene();
  before?.(scene);
  for (let i = 0; i < nodes + tainted; i++) {
    scene.nodes(
      makeNode(`n${i}`, {
        cpu: '4',
        memory: '32Gi',
        labels: zones === 0 ? {} : { [ZONE]: `z${i % zones}` },
        resources: { 'foo.com/bar': '4' },
        ...(i < nodes ? {} : { taints: [{ key: 'foo', effect: 'NoSchedule' }] }),
      }),
    );
  }
  return scene;
}

interface Measured {
  readonly perSecond: number;
  /** Microseconds of CPU for a decision, other threads' collecting of garbage included. */
  readonly cpu: number;
  readonly placed: number;
}

function measure(workload: Workload): Measured {
  const scene = setUp(workload);
  let made = 0;
  for (const [count, spec] of workload.initial) {
    for (let i = 0; i < count; i++) scene.place(demandOf(makePod(`i${made++}`, spec(i))));
  }
  const [count, spec] = workload.measured;
  const pods: Pod[] = Array.from({ length: count }, (_, i) => makePod(`m${i}`, spec(i)));
  const before = process.cpuUsage();
  const began = performance.now();
  let placed = 0;
  for (const [i, pod] of pods.entries()) {
    if (scene.place(demandOf(pod)) !== undefined) placed++;
    const [every, other] = workload.between ?? [];
    if (every === undefined || other === undefined || i % every !== 0) continue;
    const extra = makePod(`x${i}`, other());
    if (scene.place(demandOf(extra)) === undefined) scene.postFilter(extra);
  }
  const { user, system } = process.cpuUsage(before);
  const perSecond = Math.round(count / ((performance.now() - began) / 1_000));
  return { perSecond, cpu: Math.round((user + system) / count), placed };
}

const wanted = process.argv.slice(2);
for (const workload of WORKLOADS) {
  if (wanted.length > 0 && !wanted.includes(workload.name)) continue;
  const { perSecond, cpu, placed } = measure(workload);
  const times = (perSecond / workload.floor).toFixed(0);
  const verdict = perSecond >= 5 * workload.floor ? 'holds ' : 'MISSES';
  process.stdout.write(
    `${verdict}  ${workload.name}: ${perSecond} decisions/s (${cpu} µs of CPU each), ${times} × the floor of ${workload.floor} (${placed} of ${workload.measured[0]} placed)\n`,
  );
}
