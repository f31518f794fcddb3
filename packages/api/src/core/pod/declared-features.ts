import type { Pod } from '../../generated/core-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { isSidecar, mayBeginAnew } from './questions.ts';

/** Something that not every kubelet can do: who needs one that says it can. */
interface DeclaredFeature {
  readonly name: string;
  /** Whether a pod has to be placed where it is declared. */
  readonly forPlacement?: (pod: Pod) => boolean;
  /** Whether a change of a pod that is placed already needs it. */
  readonly forUpdate?: (pod: Pod, before: Pod) => boolean;
}

/**
 * By name, as answers list them. (Facts: v1.36's k8s.io/component-helpers/nodedeclaredfeatures. Its fifth,
 * ExtendWebSocketsToKubelet, no pod asks for.)
 */
const FEATURES: readonly DeclaredFeature[] = [
  { name: 'InPlacePodLevelResourcesVerticalScaling', forUpdate: changesPodResources },
  { name: 'InPlacePodVerticalScalingInitContainers', forUpdate: resizesInitContainers },
  { name: 'RestartAllContainersOnContainerExits', forPlacement: mayBeginAnew },
  {
    name: 'UserNamespacesHostNetworkSupport',
    forPlacement: ({ spec }) => spec.hostNetwork === true && spec.hostUsers === false,
  },
];

/** The features that a node must declare before it may have the pod, sorted. */
export function featuresToPlace(pod: Pod): readonly string[] {
  return FEATURES.filter(({ forPlacement }) => forPlacement?.(pod) === true).map(({ name }) => name);
}

/** The features that the node of a pod must declare for the pod to become another than before, sorted. */
export function featuresToUpdate(pod: Pod, before: Pod): readonly string[] {
  return FEATURES.filter(({ forUpdate }) => forUpdate?.(pod, before) === true).map(({ name }) => name);
}

/** Those of the required features that a node does not declare. */
export function undeclaredFeatures(
  required: readonly string[],
  node: { readonly status?: { readonly declaredFeatures?: readonly string[] } } | undefined,
): readonly string[] {
  const declared = node?.status?.declaredFeatures ?? [];
  return required.filter((feature) => !declared.includes(feature));
}

function changesPodResources(pod: Pod, before: Pod): boolean {
  return !isSemanticallyEqual('core.v1.PodSpec.resources', pod.spec.resources, before.spec.resources);
}

/** Sidecars are resized as containers are, by every kubelet. */
function resizesInitContainers(pod: Pod, before: Pod): boolean {
  return (before.spec.initContainers ?? []).some(
    (old, at) =>
      !isSidecar(old) &&
      !isSemanticallyEqual('core.v1.Container.resources', old.resources, pod.spec.initContainers?.[at]?.resources),
  );
}
