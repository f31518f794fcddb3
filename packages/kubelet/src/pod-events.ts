import type { EventRecorder } from '@binnacle/client';
import type { ObjectReference, Pod } from '@binnacle/api/core/v1';

export type EventType = 'Normal' | 'Warning';

/** Says things about pods and their containers in Events, where there is a recorder. */
export interface PodEvents {
  pod(pod: Pod, type: EventType, event: PodEvent): void;
}

export interface PodEvent {
  readonly reason: string;
  readonly message: string;
  /** Name of the container that it is about; empty: none. */
  readonly container?: string;
}

export function createPodEvents(recorder: EventRecorder | undefined): PodEvents {
  return {
    pod(pod, type, event) {
      recorder?.event(referenceTo(pod, event.container), type, event.reason, event.message);
    },
  };
}

function referenceTo(pod: Pod, container: string | undefined): ObjectReference {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(container ? { fieldPath: fieldPath(pod, container) } : {}),
  };
}

function fieldPath(pod: Pod, name: string): string {
  const { initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  if (initContainers.some((c) => c.name === name)) return `spec.initContainers{${name}}`;
  if (ephemeralContainers.some((c) => c.name === name)) return `spec.ephemeralContainers{${name}}`;
  return `spec.containers{${name}}`;
}
