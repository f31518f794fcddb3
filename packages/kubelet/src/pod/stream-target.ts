import { StreamRefusal } from '../errors.ts';
import type { PodWorker } from './worker.ts';

/** Which pod, and which of its containers; an empty `uid` is any. */
export interface StreamPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
}

/** The running container of that name. Throws StreamRefusal: 404 without the pod, 500 without the container, as upstream. */
export function runningContainer(
  worker: PodWorker | undefined,
  place: StreamPlace & { readonly container: string },
): string {
  const found = existing(worker, place).view.containers.find(
    (container) => container.state === 'running' && container.name === place.container,
  );
  if (found === undefined) throw new StreamRefusal(500, `container not found (${JSON.stringify(place.container)})`);
  return found.id;
}

/** The sandbox that is up. Throws StreamRefusal: 404 without the pod, 500 without a sandbox. */
export function readySandbox(worker: PodWorker | undefined, place: StreamPlace): string {
  const found = existing(worker, place).view.sandboxes.find((sandbox) => sandbox.state === 'ready');
  if (found === undefined) {
    throw new StreamRefusal(500, `failed to find sandbox for pod "${place.pod}_${place.namespace}"`);
  }
  return found.id;
}

function existing(worker: PodWorker | undefined, { uid }: StreamPlace): PodWorker {
  if (worker === undefined || (uid !== '' && worker.uid !== uid)) throw new StreamRefusal(404, 'pod does not exist');
  return worker;
}
