import { controllerOf, deepEqual, matchesLabels, SelectorError } from '@binnacle/machinery';
import type { KubeObject, Selector } from '@binnacle/machinery';
import { isPodActive, isPodReady, isPodTerminating } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Informer } from '@binnacle/client';
import type { Expectations } from './expectations.ts';
import { ownersFor } from './pod-set/pod-index.ts';
import { triggerOf } from './run-controller.ts';
import type { Trigger } from './run-controller.ts';

/** Owners of one kind, the pods, and what to do when a pod of theirs changes. */
export interface FollowPodsOptions<T extends KubeObject> {
  readonly ref: ResourceRef<T>;
  readonly pods: Informer<Pod>;
  /** Needs OWNERSHIP_INDEXES. */
  readonly owners: Informer<T>;
  /** Creations by name and deletions by UID under the owner's key: settled as they show. */
  readonly expectations: Expectations;
  /** For pods that have no controller: who might adopt them. */
  selector(owner: T): Selector;
  /** Whether a change of a pod's own is worth a sync; most are a kubelet's heartbeat on details. */
  concerns(before: Pod, after: Pod): boolean;
  wake(owner: T, why: PodChange): void;
}

/** What a pod's change means to its owner. */
export interface PodChange {
  readonly trigger: Trigger;
  /** The pod came, went, ended, or changed hands; otherwise only what is reported changes. */
  readonly urgent: boolean;
  /** It comes on its way, and was not ready: no count of pods that are ready can have become smaller. */
  readonly further: boolean;
}

/** Settles expectations and wakes the owners that a pod's change concerns. Returns how to stop. */
export function followPods<T extends KubeObject>(options: FollowPodsOptions<T>): () => void {
  const { ref, expectations } = options;
  const wake = (event: string, pod: Pod, { urgent, further = false }: { urgent: boolean; further?: boolean }): void => {
    const found = ownersOf(options, pod);
    if (found.length === 0) return;
    const trigger = triggerOf(event, pod);
    for (const owner of found) options.wake(owner, { trigger, urgent, further });
  };
  const keyOf = (pod: Pod): string | undefined => {
    const controller = controllerOf(pod);
    return controller?.kind === ref.kind ? `${pod.metadata.namespace ?? ''}/${controller.name}` : undefined;
  };
  // Whatever is told of a pod shows that it came: what is expected may have come before it was.
  const settle = (pod: Pod, went: boolean): void => {
    const key = keyOf(pod);
    if (key === undefined) return;
    expectations.settleCreation(key, pod.metadata.name ?? '', pod.metadata.uid ?? '');
    if (went) expectations.settleDeletion(key, pod.metadata.uid ?? '');
  };
  return options.pods.subscribe({
    add: (pod) => {
      settle(pod, isPodTerminating(pod));
      wake('ADDED', pod, { urgent: true });
    },
    update: (before, pod) => {
      settle(pod, isPodTerminating(pod));
      const [was, is] = [controllerOf(before)?.uid, controllerOf(pod)?.uid];
      const moved = was !== is || !deepEqual(before.metadata.labels, pod.metadata.labels);
      if (!moved && !options.concerns(before, pod)) return;
      const urgent = moved || isPodActive(before) !== isPodActive(pod);
      wake('MODIFIED', pod, { urgent, further: !urgent && !isPodReady(before) });
      if (moved) wake('MODIFIED', before, { urgent });
    },
    remove: (pod) => {
      settle(pod, true);
      wake('DELETED', pod, { urgent: true });
    },
  });
}

/** Whether what owners report of a pod changed: its phase, readiness, marks of deletion or ownership. */
export function podStateChanged(before: Pod, after: Pod): boolean {
  return (
    before.status?.phase !== after.status?.phase ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    !deepEqual(before.metadata.ownerReferences, after.metadata.ownerReferences) ||
    !deepEqual(readyOf(before), readyOf(after))
  );
}

/** Nobody, for most kinds: each hears of every pod. */
function ownersOf<T extends KubeObject>(options: FollowPodsOptions<T>, pod: Pod): readonly T[] {
  const { owners, ref } = options;
  const controller = controllerOf(pod);
  if (controller !== undefined) {
    if (controller.kind !== ref.kind) return NOBODY;
    const owner = owners.get(`${pod.metadata.namespace ?? ''}/${controller.name}`);
    return owner?.metadata.uid === controller.uid ? [owner] : NOBODY;
  }
  if (isPodTerminating(pod)) return NOBODY;
  const found = ownersFor(owners, pod.metadata);
  return found.length === 0 ? found : found.filter((owner) => mayAdopt(options, owner, pod));
}

const NOBODY: readonly never[] = [];

/** An owner whose selector cannot be read, stored before such were refused, costs the others no pod. */
function mayAdopt<T extends KubeObject>(options: FollowPodsOptions<T>, owner: T, pod: Pod): boolean {
  try {
    return matchesLabels(options.selector(owner), pod.metadata.labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

function readyOf(pod: Pod): unknown {
  return pod.status?.conditions?.find((condition) => condition.type === 'Ready');
}
