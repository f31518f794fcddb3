import type { NodeAffinity, TopologySpreadConstraint } from '@binnacle/api/core/v1';
import { SchedulerConfigError } from '../errors.ts';
import type { ScoringStrategy, ShapePoint, WeightedResource } from '../plugins/allocation-scores.ts';
import type { DefaultPreemptionArgs } from '../plugins/default-preemption.ts';
import type { DynamicResourcesArgs } from '../plugins/dynamic-resources.ts';
import type { InterPodAffinityArgs } from '../plugins/inter-pod-affinity.ts';
import type { NodeAffinityArgs } from '../plugins/node-affinity.ts';
import type { BalancedAllocationArgs, NodeResourcesFitArgs } from '../plugins/node-resources.ts';
import { DEFAULT_RESOURCES } from '../plugins/node-resources.ts';
import type { PodTopologySpreadArgs } from '../plugins/pod-topology-spread.ts';
import type { VolumeBindingArgs } from '../plugins/volume-binding.ts';
import { duration, flag, integer, listOf, objectOf, oneOf, text } from './strict-fields.ts';
import type { Fields, Read } from './strict-fields.ts';

/** The group and version of the file and of every `…Args` in it. */
export const API_VERSION = 'kubescheduler.config.k8s.io/v1';

/** Reads arguments of one kind; apiVersion and kind may be left out. */
function argumentsOfKind<T>(kind: string, read: (fields: Fields) => T): Read<T> {
  return objectOf((fields) => {
    fields.take('apiVersion', oneOf(API_VERSION));
    fields.take('kind', oneOf(kind));
    return read(fields);
  });
}

/** Takes only the fields that are there, so that defaults stay where they belong: with the plugin. */
function given<T extends object>(values: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

const resource: Read<WeightedResource> = objectOf((fields) => ({
  name: fields.need('name', text),
  // Zero is what an absent weight is on the wire; it means one.
  weight: fields.take('weight', integer(0, 100)) || 1,
}));

function resources(fields: Fields): readonly WeightedResource[] {
  const list = fields.take('resources', listOf(resource)) ?? [];
  return list.length === 0 ? DEFAULT_RESOURCES : list;
}

const shapePoint: Read<ShapePoint> = objectOf((fields) => ({
  utilization: fields.need('utilization', integer(0, 100)),
  score: fields.need('score', integer(0, 10)),
}));

const shape: Read<readonly ShapePoint[]> = objectOf((fields) => {
  const points = fields.need('shape', listOf(shapePoint));
  if (points.length === 0)
    throw new SchedulerConfigError(`${fields.at('shape')}: at least one point must be specified`);
  points.forEach((point, i) => {
    const before = points[i - 1];
    if (before !== undefined && point.utilization <= before.utilization) {
      throw new SchedulerConfigError(
        `${fields.at('shape')}[${i}].utilization: values must be sorted in increasing order`,
      );
    }
  });
  return points;
});

const strategy: Read<ScoringStrategy> = objectOf((fields) => {
  const type =
    fields.take('type', oneOf('LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio')) ?? 'LeastAllocated';
  const weighted = resources(fields);
  const points = fields.take('requestedToCapacityRatio', shape);
  if (type === 'RequestedToCapacityRatio' && points === undefined) {
    throw new SchedulerConfigError(`${fields.at('requestedToCapacityRatio')}: required value`);
  }
  return { type, resources: weighted, ...(points === undefined ? {} : { shape: points }) };
});

const raw = <T>(value: unknown): T => value as T;

function spreadArguments(fields: Fields): PodTopologySpreadArgs {
  const defaultConstraints = fields.take('defaultConstraints', listOf(spreadConstraint));
  const defaultingType = fields.take('defaultingType', oneOf('System', 'List')) ?? 'System';
  if (defaultingType === 'System' && (defaultConstraints ?? []).length > 0) {
    throw new SchedulerConfigError(`${fields.at('defaultingType')}: when using constraints it must be List`);
  }
  return given<PodTopologySpreadArgs>({ defaultConstraints, defaultingType });
}

const spreadConstraint: Read<TopologySpreadConstraint> = objectOf((fields) => {
  if (fields.take('labelSelector', raw) !== undefined) {
    throw new SchedulerConfigError(`${fields.at('labelSelector')}: constraint must not define a selector`);
  }
  return given<TopologySpreadConstraint>({
    maxSkew: fields.need('maxSkew', integer(1)),
    topologyKey: fields.need('topologyKey', text),
    whenUnsatisfiable: fields.need('whenUnsatisfiable', oneOf('DoNotSchedule', 'ScheduleAnyway')),
    minDomains: fields.take('minDomains', integer(1)),
    nodeAffinityPolicy: fields.take('nodeAffinityPolicy', oneOf('Honor', 'Ignore')),
    nodeTaintsPolicy: fields.take('nodeTaintsPolicy', oneOf('Honor', 'Ignore')),
    matchLabelKeys: undefined,
    labelSelector: undefined,
  });
});

/** The readers of arguments by plugin; a plugin that is not here takes none. */
export const PLUGIN_ARGUMENTS: ReadonlyMap<string, Read<object>> = new Map<string, Read<object>>([
  [
    'DefaultPreemption',
    argumentsOfKind('DefaultPreemptionArgs', (f) =>
      given<DefaultPreemptionArgs>({
        minCandidateNodesPercentage: f.take('minCandidateNodesPercentage', integer(0, 100)),
        minCandidateNodesAbsolute: f.take('minCandidateNodesAbsolute', integer(0)),
      }),
    ),
  ],
  [
    'InterPodAffinity',
    argumentsOfKind('InterPodAffinityArgs', (f) =>
      given<InterPodAffinityArgs>({
        hardPodAffinityWeight: f.take('hardPodAffinityWeight', integer(0, 100)),
        ignorePreferredTermsOfExistingPods: f.take('ignorePreferredTermsOfExistingPods', flag),
      }),
    ),
  ],
  [
    'NodeAffinity',
    // The shape of an affinity is the API's own.
    argumentsOfKind('NodeAffinityArgs', (f) =>
      given<NodeAffinityArgs>({ addedAffinity: f.take('addedAffinity', readAddedAffinity) }),
    ),
  ],
  [
    'NodeResourcesFit',
    argumentsOfKind('NodeResourcesFitArgs', (f) =>
      given<NodeResourcesFitArgs>({
        ignoredResources: f.take('ignoredResources', listOf(text)),
        ignoredResourceGroups: f.take('ignoredResourceGroups', listOf(resourceGroup)),
        scoringStrategy: f.take('scoringStrategy', strategy),
      }),
    ),
  ],
  [
    'NodeResourcesBalancedAllocation',
    argumentsOfKind(
      'NodeResourcesBalancedAllocationArgs',
      (f) => ({ resources: resources(f) }) as BalancedAllocationArgs,
    ),
  ],
  [
    'DynamicResources',
    argumentsOfKind('DynamicResourcesArgs', (f) => {
      const bindingTimeoutMs = f.take('bindingTimeout', duration);
      if (bindingTimeoutMs !== undefined && bindingTimeoutMs < 1_000) {
        throw new SchedulerConfigError(`${f.at('bindingTimeout')}: must be at least 1 second`);
      }
      const filterTimeoutMs = f.take('filterTimeout', duration);
      return given<DynamicResourcesArgs>({ filterTimeoutMs, bindingTimeoutMs });
    }),
  ],
  [
    'VolumeBinding',
    argumentsOfKind('VolumeBindingArgs', (f) => {
      if (f.take('shape', raw) !== undefined) {
        throw new SchedulerConfigError(`${f.at('shape')}: scores by storage capacity are not supported yet`);
      }
      return given<VolumeBindingArgs>({ bindTimeoutSeconds: f.take('bindTimeoutSeconds', integer(0)) });
    }),
  ],
  ['PodTopologySpread', argumentsOfKind('PodTopologySpreadArgs', spreadArguments)],
]);

function resourceGroup(value: unknown, path: string): string {
  const group = text(value, path);
  if (group.includes('/')) throw new SchedulerConfigError(`${path}: resource group name can't contain '/'`);
  return group;
}

const requirement = objectOf((f) =>
  given<{ key: string; operator: string; values: readonly string[] }>({
    key: f.need('key', text),
    operator: f.need('operator', oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt')),
    values: f.take('values', listOf(text)) ?? [],
  }),
);

const selectorTerm = objectOf((f) => ({
  matchExpressions: f.take('matchExpressions', listOf(requirement)) ?? [],
  matchFields: f.take('matchFields', listOf(requirement)) ?? [],
}));

function readAddedAffinity(value: unknown, path: string): NodeAffinity {
  const read = objectOf((f) => {
    const required = f.take(
      'requiredDuringSchedulingIgnoredDuringExecution',
      objectOf((r) => ({ nodeSelectorTerms: r.need('nodeSelectorTerms', listOf(selectorTerm)) })),
    );
    const preferred = f.take(
      'preferredDuringSchedulingIgnoredDuringExecution',
      listOf(
        objectOf((p) => ({
          weight: p.need('weight', integer(1, 100)),
          preference: p.need('preference', selectorTerm),
        })),
      ),
    );
    return {
      ...(required === undefined ? {} : { requiredDuringSchedulingIgnoredDuringExecution: required }),
      ...(preferred === undefined ? {} : { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
    };
  });
  return read(value, path) as NodeAffinity;
}
