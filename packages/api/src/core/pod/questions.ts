import type { Container, ContainerStatus, Pod, PodCondition } from '../../generated/core-v1.ts';
import { getCondition } from '../../condition.ts';
import * as wellknown from '../../wellknown.ts';

/** Has the pod ended, for good? */
export function isPodTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Is somebody deleting it? It may still run through its grace period. */
export function isPodTerminating(pod: Pod): boolean {
  return Boolean(pod.metadata.deletionTimestamp);
}

/** Counts towards the replicas of its controller: neither ended nor being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && !isPodTerminating(pod);
}

/** Its Ready condition is True. */
export function isPodReady(pod: Pod): boolean {
  return getPodCondition(pod, 'Ready')?.status === 'True';
}

/**
 * Ready for at least `minReadySeconds` at `nowMs` (milliseconds since the epoch). Without a minimum, ready is
 * available.
 */
export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  return availableInMs(pod, minReadySeconds, nowMs) === 0;
}

/**
 * Milliseconds until the pod will be available if it stays ready: 0 when it is, undefined while it is not ready
 * (or never tells since when).
 */
export function availableInMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  const ready = getPodCondition(pod, 'Ready');
  if (ready?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  if (!ready.lastTransitionTime) return undefined;
  return Math.max(0, Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000 - nowMs);
}

/** The condition of that type, if the pod has it. */
export function getPodCondition(pod: Pod, type: string): PodCondition | undefined {
  return getCondition(pod.status?.conditions, type);
}

/** Bound to a node. */
export function isPodScheduled(pod: Pod): boolean {
  return Boolean(pod.spec?.nodeName);
}

/** Made by a kubelet to show a static pod in the API. */
export function isMirrorPod(pod: Pod): boolean {
  return pod.metadata.annotations?.[wellknown.ANNOTATION_MIRROR] !== undefined;
}

/** The status of a container of the pod: main, init or ephemeral. */
export function findContainerStatus(pod: Pod, name: string): ContainerStatus | undefined {
  const status = pod.status;
  if (!status) return undefined;
  return (
    status.containerStatuses?.find((entry) => entry.name === name) ??
    status.initContainerStatuses?.find((entry) => entry.name === name) ??
    status.ephemeralContainerStatuses?.find((entry) => entry.name === name)
  );
}

/** How often the containers that count towards readiness were restarted, all together. */
export function podRestartCount(pod: Pod): number {
  let count = 0;
  for (const status of pod.status?.containerStatuses ?? []) count += status.restartCount;
  return count;
}

/** An init container that keeps running beside the main ones (a sidecar). */
export function isSidecar(container: { readonly restartPolicy?: string }): boolean {
  return container.restartPolicy === 'Always';
}

/** May its end make all containers of its pod begin anew? (KEP-5532.) */
export function mayRestartAll({ restartPolicyRules }: Container): boolean {
  return restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') === true;
}

/** May the end of one of its containers make all begin anew? Asked of pods that are not yet validated, too. */
export function mayBeginAnew({ spec }: Pod): boolean {
  return (spec.containers ?? []).some(mayRestartAll) || spec.initContainers?.some(mayRestartAll) === true;
}
