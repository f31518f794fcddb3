import { fnv1a } from '@binnacle/base';
import type { Container, Pod, ResourceRequirements } from '@binnacle/api/core/v1';
import type { Mount } from '@binnacle/runtime';
import { inheritedLimits } from './resources.ts';

/** Upstream's labels and annotations on what CRI holds: they carry over what a restarted kubelet must know. */
export const POD_NAME_LABEL = 'io.kubernetes.pod.name';
export const POD_NAMESPACE_LABEL = 'io.kubernetes.pod.namespace';
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME_LABEL = 'io.kubernetes.container.name';
export const CONTAINER_HASH = 'io.kubernetes.container.hash';
export const RESTART_COUNT = 'io.kubernetes.container.restartCount';
const TERMINATION_PATH = 'io.kubernetes.container.terminationMessagePath';
const TERMINATION_POLICY = 'io.kubernetes.container.terminationMessagePolicy';
const PORTS = 'io.kubernetes.container.ports';
const PRE_STOP = 'io.kubernetes.container.preStopHandler';
export const POD_GRACE_PERIOD = 'io.kubernetes.pod.terminationGracePeriod';
/** What of its definition's resources a container was made with: a definition can change under it. */
export const ALLOCATED_RESOURCES = 'binnacle.dev/allocated-resources';
/** Which limits of its pod it was made with, having none of its own. */
const INHERITED_LIMITS = 'binnacle.dev/inherited-limits';
/** Which of its mounts are read only with all that is below: by what the runtime could when it was made. */
const RECURSIVELY_READ_ONLY = 'binnacle.dev/recursively-read-only';
/** How a container wants to be stopped, for who knows nothing of its pod any more. */
export const STOP_SIGNAL = 'binnacle.dev/stop-signal';
const DELETION_GRACE_PERIOD = 'io.kubernetes.pod.deletionGracePeriod';

export type TextMap = { readonly [key: string]: string };

export function podLabels(pod: Pod): TextMap {
  return {
    ...pod.metadata.labels,
    [POD_NAME_LABEL]: pod.metadata.name ?? '',
    [POD_NAMESPACE_LABEL]: pod.metadata.namespace ?? '',
    [POD_UID_LABEL]: pod.metadata.uid ?? '',
  };
}

export function containerLabels(pod: Pod, container: Container): TextMap {
  return {
    [CONTAINER_NAME_LABEL]: container.name,
    [POD_NAME_LABEL]: pod.metadata.name ?? '',
    [POD_NAMESPACE_LABEL]: pod.metadata.namespace ?? '',
    [POD_UID_LABEL]: pod.metadata.uid ?? '',
  };
}

export function containerAnnotations(pod: Pod, container: Container, restartCount: number): TextMap {
  const preStop = container.lifecycle?.preStop;
  const grace = pod.spec?.terminationGracePeriodSeconds;
  const deletion = pod.metadata.deletionGracePeriodSeconds;
  const inherited = inheritedLimits(pod, container);
  return {
    [CONTAINER_HASH]: containerHash(container),
    [RESTART_COUNT]: String(restartCount),
    [TERMINATION_PATH]: container.terminationMessagePath ?? '',
    [TERMINATION_POLICY]: container.terminationMessagePolicy ?? '',
    ...(container.ports?.length ? { [PORTS]: JSON.stringify(container.ports) } : {}),
    ...(preStop === undefined ? {} : { [PRE_STOP]: JSON.stringify(preStop) }),
    ...(hasResources(container) ? { [ALLOCATED_RESOURCES]: JSON.stringify(container.resources) } : {}),
    ...(Object.keys(inherited).length > 0 ? { [INHERITED_LIMITS]: JSON.stringify(inherited) } : {}),
    ...(container.lifecycle?.stopSignal === undefined ? {} : { [STOP_SIGNAL]: container.lifecycle.stopSignal }),
    ...(grace === undefined ? {} : { [POD_GRACE_PERIOD]: String(grace) }),
    ...(deletion === undefined ? {} : { [DELETION_GRACE_PERIOD]: String(deletion) }),
  };
}

/** What of its mounts a container's status tells of. */
export function mountAnnotations(mounts: readonly Pick<Mount, 'containerPath' | 'isRecursivelyReadOnly'>[]): TextMap {
  const paths = mounts.filter((one) => one.isRecursivelyReadOnly === true).map(({ containerPath }) => containerPath);
  return paths.length === 0 ? {} : { [RECURSIVELY_READ_ONLY]: JSON.stringify(paths) };
}

/** The paths at which a container that was made has something read only with all that is below it. */
export function recursivelyReadOnlyPaths(annotations: TextMap): readonly string[] {
  const text = annotations[RECURSIVELY_READ_ONLY];
  return text === undefined ? [] : (JSON.parse(text) as readonly string[]);
}

function hasResources({ resources }: Container): boolean {
  return Object.keys({ ...resources?.limits, ...resources?.requests }).length > 0;
}

/** The resources that a container was made with. */
export function allocatedResources(annotations: TextMap): ResourceRequirements {
  const text = annotations[ALLOCATED_RESOURCES];
  return text === undefined ? {} : (JSON.parse(text) as ResourceRequirements);
}

/** The resources that a container was made with, and the limits that it has of its pod. */
export function effectiveResources(annotations: TextMap): ResourceRequirements {
  const own = allocatedResources(annotations);
  const text = annotations[INHERITED_LIMITS];
  if (text === undefined) return own;
  return { ...own, limits: { ...(JSON.parse(text) as ResourceRequirements['limits']), ...own.limits } };
}

/** What of a container's definition cannot change without a new container: its name and image. FNV-1a, in hex. */
export function containerHash(container: Container): string {
  return fnv1a(JSON.stringify({ name: container.name, image: container.image ?? '' })).toString(16);
}

export function restartCountOf(annotations: TextMap): number {
  const count = Number(annotations[RESTART_COUNT] ?? '0');
  return Number.isInteger(count) && count >= 0 ? count : 0;
}
