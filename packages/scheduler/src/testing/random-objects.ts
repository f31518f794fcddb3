import type { Node, NodeSelectorRequirement, Pod, PodAffinityTerm, Toleration } from '@binnacle/api/core/v1';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { LabelSelector } from '@binnacle/machinery';
import type { ScoringStrategy } from '../plugins/allocation-scores.ts';
import { makeNode, makePod } from './objects.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
/** A name that every object of JavaScript knows, though few nodes have the label. */
const INNATE = 'constructor';
const TOPOLOGIES = [ZONE, ZONE, HOST, HOST, 'disk', 'disk', INNATE];

/** Chance in words. */
export class Dice {
  readonly random: Random;

  constructor(seed: number) {
    this.random = createSeededRandom(seed);
  }

  below(n: number): number {
    return randomBelow(this.random, n);
  }

  one<T>(options: readonly T[]): T {
    return options[this.below(options.length)] as T;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** Any number of things, each with a chance. */
  some<T>(percent: number, make: () => T, most = 2): T[] {
    const made: T[] = [];
    while (made.length < most && this.chance(percent)) made.push(make());
    return made;
  }
}

/** Images and their sizes in MiB: too small to count, usual, and more than counts. */
const IMAGES: readonly (readonly [name: string, mebibytes: number])[] = [
  ['small:latest', 10],
  ['web:1', 120],
  ['registry:5000/web:latest', 700],
  ['huge:1', 3000],
];
const NAMES = ['small', 'web:1', 'registry:5000/web', 'huge:1', 'nowhere'];

/** The labels of a node: any may be missing, and its host's name may be that of another. */
export function randomNodeLabels(dice: Dice, name: string): Record<string, string> {
  return {
    ...(dice.chance(95) ? { [HOST]: dice.chance(93) ? name : `n${dice.below(9)}` } : {}),
    ...(dice.chance(85) ? { [ZONE]: dice.one(['a', 'b', 'c', INNATE]) } : {}),
    ...(dice.chance(95) ? { disk: dice.one(['ssd', 'hdd']) } : {}),
    ...(dice.chance(30) ? { [INNATE]: dice.one(['x', 'toString']) } : {}),
    ...(dice.chance(30) ? { cores: dice.one(['1', '8', '64', 'many']) } : {}),
  };
}

/** What keeps pods from a node. */
export function randomTaints(dice: Dice): NonNullable<Node['spec']['taints']> {
  return dice.some(15, () => ({
    key: dice.one(['dedicated', 'spot']),
    value: dice.one(['x', 'y', '']),
    effect: dice.one(['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const),
  }));
}

/** A node as it might be. */
export function randomNode(dice: Dice, name: string): Node {
  const node = makeNode(name, {
    cpu: dice.one(['1', '2', '4']),
    memory: dice.one(['2Gi', '4Gi', '8Gi']),
    pods: dice.one(['2', '6', '110']),
    taints: randomTaints(dice),
    unschedulable: dice.chance(5),
    resources: dice.chance(30) ? { 'example.com/gpu': '2' } : {},
    images: IMAGES.filter(() => dice.chance(40)).map(([name, mebibytes]) => ({
      names: [name, `${name}@sha256:0`],
      sizeBytes: mebibytes * 2 ** 20,
    })),
  });
  const declaredFeatures = dice.chance(50) ? ['RestartAllContainersOnContainerExits'] : [];
  const metadata = { ...node.metadata, labels: randomNodeLabels(dice, name) };
  return { ...node, metadata, status: { ...node.status, declaredFeatures } };
}

function randomSelector(dice: Dice): LabelSelector {
  if (dice.chance(10)) return {};
  if (dice.chance(75)) return { matchLabels: { app: dice.one(['web', 'db', 'cache']) } };
  const key = dice.one(['app', 'version', 'tenant', INNATE]);
  const operator = dice.one(['In', 'NotIn', 'Exists', 'DoesNotExist']);
  const values = dice.one([['web', 'x', '1'], ['db'], [INNATE]]);
  return { matchExpressions: [{ key, operator, ...(operator.endsWith('In') ? { values } : {}) }] };
}

function randomTerm(dice: Dice): PodAffinityTerm {
  return {
    topologyKey: dice.one(TOPOLOGIES),
    ...(dice.chance(90) ? { labelSelector: randomSelector(dice) } : {}),
    ...(dice.chance(20) ? { namespaces: [dice.one(['default', 'other', 'nowhere'])] } : {}),
    ...(dice.chance(20)
      ? { namespaceSelector: dice.chance(50) ? {} : { matchLabels: { team: dice.one(['red', 'blue']) } } }
      : {}),
    ...(dice.chance(15) ? { matchLabelKeys: dice.one([['version'], ['version', 'tenant'], [INNATE]]) } : {}),
    ...(dice.chance(10) ? { mismatchLabelKeys: dice.one([['tenant'], [INNATE]]) } : {}),
  };
}

function randomAffinity(dice: Dice): NonNullable<Pod['spec']['affinity']> {
  const weighted = (): { weight: number; podAffinityTerm: PodAffinityTerm } => ({
    weight: 1 + dice.below(100),
    podAffinityTerm: randomTerm(dice),
  });
  const disk = (): { matchExpressions: NodeSelectorRequirement[] } => ({
    matchExpressions: [
      dice.chance(70)
        ? { key: 'disk', operator: 'In', values: [dice.one(['ssd', 'hdd'])] }
        : dice.one<NodeSelectorRequirement>([
            { key: 'disk', operator: 'NotIn', values: ['ssd'] },
            { key: INNATE, operator: 'Exists' },
            { key: INNATE, operator: 'DoesNotExist' },
            { key: 'cores', operator: 'Gt', values: ['7'] },
            { key: 'cores', operator: 'Lt', values: ['64'] },
          ]),
    ],
  });
  const named = (): { matchFields: { key: string; operator: 'In'; values: string[] }[] } => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [`n${dice.below(9)}`] }],
  });
  return {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: dice.some(15, () => randomTerm(dice)),
      preferredDuringSchedulingIgnoredDuringExecution: dice.some(25, weighted),
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: dice.some(15, () => randomTerm(dice)),
      preferredDuringSchedulingIgnoredDuringExecution: dice.some(25, weighted),
    },
    nodeAffinity: {
      ...(dice.chance(10) ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [disk()] } } : {}),
      ...(dice.chance(10)
        ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: dice.some(70, named, 3) } }
        : {}),
      preferredDuringSchedulingIgnoredDuringExecution: dice.some(20, () => ({
        weight: 1 + dice.below(100),
        preference: disk(),
      })),
    },
  };
}

/** How NodeResourcesFit is told to score: each of the three ways, over any resources. */
export function randomStrategy(dice: Dice): ScoringStrategy {
  const type = dice.one(['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'] as const);
  const names = ['cpu', 'memory', 'example.com/gpu', 'ephemeral-storage', 'example.com/none'].filter(() =>
    dice.chance(50),
  );
  const resources = names.map((name) => ({ name, weight: 1 + dice.below(dice.one([1, 5, 100])) }));
  if (type !== 'RequestedToCapacityRatio') return { type, resources };
  const points = [...new Set(dice.some(80, () => dice.below(101), 5)), 50];
  const rising = [...new Set(points)].toSorted((a, b) => a - b);
  return { type, resources, shape: rising.map((utilization) => ({ utilization, score: dice.below(11) })) };
}

/** Now and then the pod has gates to wait behind. */
export function withRandomGates(dice: Dice, pod: Pod): Pod {
  const names = ['example.com/a', 'example.com/b'].filter(() => dice.chance(15));
  return names.length === 0 ? pod : { ...pod, spec: { ...pod.spec, schedulingGates: names.map((name) => ({ name })) } };
}

/** The labels of a pod: any may be missing. */
export function randomLabels(dice: Dice): Record<string, string> {
  return {
    app: dice.one(['web', 'db', 'cache']),
    ...(dice.chance(85) ? { version: dice.one(['1', '2']) } : {}),
    ...(dice.chance(85) ? { tenant: dice.one(['x', 'y']) } : {}),
    ...(dice.chance(10) ? { [INNATE]: dice.one(['x', INNATE]) } : {}),
  };
}

function randomToleration(dice: Dice): Toleration {
  const key = dice.one(['dedicated', 'spot', 'node.kubernetes.io/unschedulable']);
  if (dice.chance(70)) return { key, operator: 'Exists' };
  return dice.one<Toleration>([
    { operator: 'Exists', effect: dice.one(['NoSchedule', 'NoExecute']) },
    { key, operator: 'Equal', value: dice.one(['x', '']) },
    { key, value: 'y', effect: 'NoExecute', tolerationSeconds: 0 },
    { key, operator: 'Exists', effect: 'PreferNoSchedule' },
  ]);
}

/** A pod with any constraint there is. */
export function randomPod(dice: Dice, name: string): Pod {
  const constraints = dice.some(35, () => ({
    maxSkew: 1 + dice.below(3),
    topologyKey: dice.one(TOPOLOGIES),
    whenUnsatisfiable: dice.one(['DoNotSchedule', 'ScheduleAnyway'] as const),
    labelSelector: randomSelector(dice),
    nodeAffinityPolicy: dice.one(['Honor', 'Ignore'] as const),
    nodeTaintsPolicy: dice.one(['Honor', 'Ignore'] as const),
    ...(dice.chance(20) ? { minDomains: 1 + dice.below(4) } : {}),
    ...(dice.chance(20) ? { matchLabelKeys: dice.one([['version'], ['version', INNATE], [INNATE]]) } : {}),
  }));
  const pod = makePod(name, {
    cpu: dice.one(['', '', '100m', '300m', '900m']),
    memory: dice.one(['', '', '100Mi', '700Mi', '3Gi']),
    namespace: dice.one(['default', 'default', 'other']),
    labels: randomLabels(dice),
    image: dice.one(NAMES),
    ...(dice.chance(10) ? { hostPort: dice.one([80, 443]) } : {}),
    ...(dice.chance(10) ? { resources: { 'example.com/gpu': '1' } } : {}),
    ...(dice.chance(15) ? { nodeSelector: { disk: dice.one(['ssd', 'hdd']) } } : {}),
    ...(dice.chance(60) ? { affinity: randomAffinity(dice) } : {}),
    tolerations: dice.some(40, () => randomToleration(dice)),
    topologySpreadConstraints: constraints,
  });
  const exitCodes = { operator: 'In' as const, values: [1] };
  const rules = { restartPolicyRules: [{ action: 'RestartAllContainers' as const, exitCodes }] };
  const containers = pod.spec.containers.map((one) => ({ ...one, ...rules }));
  for (const { ports = [] } of pod.spec.containers) {
    for (const port of ports) {
      if (dice.chance(30)) Object.assign(port, { protocol: 'UDP' });
      if (dice.chance(50)) Object.assign(port, { hostIP: dice.one(['127.0.0.1', '10.0.0.1']) });
    }
  }
  if (dice.chance(10)) Object.assign(pod.spec, { initContainers: [{ name: 'i', image: dice.one(NAMES) }] });
  if (dice.chance(8)) return { ...pod, spec: { ...pod.spec, containers } };
  return dice.chance(10) ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } : pod;
}
