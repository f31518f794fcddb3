import type { Features } from '@binnacle/api';
import type { StatefulSet } from '@binnacle/api/apps/v1';
import type { KubeObject } from '@binnacle/machinery';
import { POD_TEMPLATES } from '../catalogue/pod-templates.ts';
import { asDraft } from '../storage/draft.ts';
import type { Draft } from '../storage/draft.ts';
import type { KindBehaviour, KindBehaviours } from './behaviour.ts';
import { fieldPlace, valueAt, withoutField } from './field-places.ts';
import type { FieldPlace } from './field-places.ts';
import { gatedValueChecks } from './gated-values.ts';

/** Fields that a kind has with a feature gate only. They go together: where one was there before, all may stay. */
interface GatedFields {
  readonly gate: string;
  readonly fields: readonly string[];
  /** They go where something stands here; absent: always. */
  readonly where?: string;
}

/** Where each kind that has the definition of a pod has it. */
const POD_PLACES: { readonly [resource: string]: string } = {
  pods: 'spec',
  ...Object.fromEntries(
    Object.entries(POD_TEMPLATES).map(([resource, place]) => [resource, [...place, 'spec'].join('.')]),
  ),
};

/** Of the definition of a pod, wherever a kind has one. */
const OF_POD_SPECS: readonly GatedFields[] = [
  { gate: 'ClusterTrustBundleProjection', fields: ['volumes.*.projected.sources.*.clusterTrustBundle'] },
  { gate: 'PodCertificateRequest', fields: ['volumes.*.projected.sources.*.podCertificate'] },
  { gate: 'GenericWorkload', fields: ['schedulingGroup'] },
  {
    gate: 'ContainerStopSignals',
    fields: ['containers', 'initContainers', 'ephemeralContainers'].map(
      (containers) => `${containers}.*.lifecycle?.stopSignal`,
    ),
  },
];

/** By resource: whatever of v1.36 is off by default and a field. The gates that are not built here are always off. */
const OF_KINDS: { readonly [resource: string]: readonly GatedFields[] } = {
  'statefulsets.apps': [
    { gate: 'MaxUnavailableStatefulSet', fields: ['spec.updateStrategy.rollingUpdate.maxUnavailable'] },
  ],
  'leases.coordination.k8s.io': [
    { gate: 'CoordinatedLeaderElection', fields: ['spec.strategy'] },
    { gate: 'CoordinatedLeaderElection', fields: ['spec.preferredHolder'] },
  ],
  persistentvolumeclaims: [
    { gate: 'CrossNamespaceVolumeDataSource', fields: ['spec.dataSourceRef'], where: 'spec.dataSourceRef.namespace' },
  ],
  'csidrivers.storage.k8s.io': [{ gate: 'VolumeLimitScaling', fields: ['spec.preventPodSchedulingIfMissing'] }],
  'resourceslices.resource.k8s.io': [
    { gate: 'DRANodeAllocatableResources', fields: ['spec.devices.*.nodeAllocatableResourceMappings'] },
    {
      gate: 'DRAListTypeAttributes',
      fields: ['bools', 'ints', 'strings', 'versions'].map((form) => `spec.devices.*.attributes.*.${form}`),
    },
  ],
};

/** Likewise of what is written as a status. */
const OF_STATUSES: { readonly [resource: string]: readonly GatedFields[] } = {
  pods: [
    { gate: 'DRANodeAllocatableResources', fields: ['status.nodeAllocatableResourceClaimStatuses'] },
    {
      gate: 'ImageVolumeWithDigest',
      fields: ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'].map(
        (statuses) => `status.${statuses}.*.volumeMounts.*.volumeStatus`,
      ),
    },
  ],
};

interface Completed {
  readonly gate: string;
  complete(object: KubeObject): void;
}

/** What is filled in where a gate is on. */
const COMPLETED: { readonly [resource: string]: Completed } = {
  'statefulsets.apps': {
    gate: 'MaxUnavailableStatefulSet',
    complete(object) {
      const { spec } = object as StatefulSet;
      const { type, rollingUpdate } = spec?.updateStrategy ?? {};
      if (type !== 'RollingUpdate' || rollingUpdate === undefined || rollingUpdate.maxUnavailable !== undefined) return;
      const updateStrategy = { type, rollingUpdate: { ...rollingUpdate, maxUnavailable: 1 } };
      asDraft(object).spec = { ...spec, updateStrategy };
    },
  },
};

/** The same as places: what is looked at with every write. */
interface Gated {
  readonly fields: readonly FieldPlace[];
  readonly where: FieldPlace | undefined;
}

/**
 * Kinds as they are with these features and no others: fields of gates that are off are left out of whatever is written,
 * values of them refused, as upstream does, unless they were there before.
 */
export function withoutGated(behaviours: KindBehaviours, features: Features): KindBehaviours {
  const isOn = (gate: string): boolean => (features as { readonly [gate: string]: boolean })[gate] === true;
  const closed = (rows: readonly GatedFields[] = []): readonly Gated[] =>
    rows.filter(({ gate }) => !isOn(gate)).map(toPlaces);
  const resources = new Set([...Object.keys(POD_PLACES), ...Object.keys(OF_KINDS), ...Object.keys(OF_STATUSES)]);
  const changed = [...resources].map((resource) => {
    const completed = COMPLETED[resource];
    const podPlace = POD_PLACES[resource];
    const ofPods = inPodSpec(podPlace);
    const behaviour = withoutFields(behaviours[resource] ?? {}, {
      whole: closed([...ofPods, ...(OF_KINDS[resource] ?? [])]),
      status: closed(OF_STATUSES[resource]),
      completed: completed !== undefined && isOn(completed.gate) ? completed : undefined,
    });
    const whole = podPlace === undefined ? behaviour : withChecks(behaviour, gatedValueChecks(podPlace, isOn));
    return [resource, whole] as const;
  });
  return { ...behaviours, ...Object.fromEntries(changed) };
}

function inPodSpec(place: string | undefined): readonly GatedFields[] {
  if (place === undefined) return [];
  return OF_POD_SPECS.map(({ gate, fields }) => ({ gate, fields: fields.map((one) => `${place}.${one}`) }));
}

function toPlaces({ fields, where }: GatedFields): Gated {
  return { fields: fields.map(fieldPlace), where: where === undefined ? undefined : fieldPlace(where) };
}

interface Held {
  readonly whole: readonly Gated[];
  readonly status: readonly Gated[];
  readonly completed: Completed | undefined;
}

function withoutFields(
  { strategy = {}, ...behaviour }: KindBehaviour,
  { whole, status, completed }: Held,
): KindBehaviour {
  return {
    ...behaviour,
    strategy: {
      ...strategy,
      prepareForCreate(object, caller) {
        drop(whole, object);
        completed?.complete(object);
        strategy.prepareForCreate?.(object, caller);
      },
      prepareForUpdate(object, before) {
        drop(whole, object, before);
        completed?.complete(object);
        strategy.prepareForUpdate?.(object, before);
      },
      prepareForStatusUpdate(object, before) {
        drop(status, object, before);
        strategy.prepareForStatusUpdate?.(object, before);
      },
    },
  };
}

function withChecks(behaviour: KindBehaviour, added: NonNullable<KindBehaviour['checks']>): KindBehaviour {
  const { checks } = behaviour;
  return {
    ...behaviour,
    checks: {
      ...checks,
      validate: (object) => [...(checks?.validate?.(object) ?? []), ...(added.validate?.(object) ?? [])],
      validateUpdate: (object, before) => [
        ...(checks?.validateUpdate?.(object, before) ?? []),
        ...(added.validateUpdate?.(object, before) ?? []),
      ],
    },
  };
}

/** A part that has nothing else stays, and says nothing. */
function drop(gated: readonly Gated[], object: KubeObject, before?: KubeObject): void {
  const draft = asDraft(object);
  for (const { fields, where } of gated) {
    if (where !== undefined && !isSaid(object, where)) continue;
    const isGiven = fields.some((place) => valueAt(object, place) !== undefined);
    if (!isGiven) continue;
    if (before !== undefined && fields.some((place) => valueAt(before, place) !== undefined)) continue;
    for (const place of fields) leaveOut(draft, place);
  }
}

function leaveOut(draft: Draft, place: FieldPlace): void {
  const top = place[0]?.name ?? '';
  draft[top] = withoutField(draft[top], place, 1);
}

function isSaid(object: KubeObject, place: FieldPlace): boolean {
  const value = valueAt(object, place);
  return value !== undefined && value !== '';
}
