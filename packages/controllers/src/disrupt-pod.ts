import { formatTime } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { isPodTerminal, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { deleteIfThere } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from './controller-kit.ts';

export interface Disruption {
  readonly pod: Pod;
  /** The DisruptionTarget condition that tells the pod's owner it was not the pod's fault. Absent: nothing is said. */
  readonly why?: { readonly reason: string; readonly message: string };
  /** Nobody is left to end it: its phase becomes Failed, and it goes without grace. */
  readonly force?: boolean;
}

/** Marks a pod with the reason, then deletes it, if it is still the same pod. */
export async function disruptPod(kit: ControllerKit, disruption: Disruption, context: SyncContext): Promise<void> {
  const { pod, force = false } = disruption;
  const { namespace, name = '', uid = '' } = pod.metadata;
  const pods = kit.client.resource(PODS, namespace);
  const change = statusChange(disruption, formatTime(kit.world.clock.now()));
  try {
    // By patch, because that is what upstream's role for the pod collector allows.
    if (change !== undefined) await pods.patch(name, 'merge', change, { subresource: 'status' }, context);
  } catch (error) {
    if (status.isNotFound(error)) return;
    throw error;
  }
  const options = { preconditions: { uid }, ...(force ? { gracePeriodSeconds: 0 } : {}) };
  await deleteIfThere({ client: pods, context }, name, options);
}

function statusChange({ pod, why, force = false }: Disruption, now: string): object | undefined {
  if (isPodTerminal(pod) || (why === undefined && !force)) return undefined;
  const { uid, resourceVersion, generation } = pod.metadata;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const phase = force ? { phase: 'Failed', ...seen } : {};
  if (why === undefined) return { metadata: { uid, resourceVersion }, status: phase };
  const target = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: now, ...seen, ...why };
  const others = (pod.status?.conditions ?? []).filter((condition) => condition.type !== 'DisruptionTarget');
  return { metadata: { uid, resourceVersion }, status: { ...phase, conditions: [...others, target] } };
}
