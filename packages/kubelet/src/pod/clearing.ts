import type { Pod } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import { logFile, podDirectory, terminationFile } from './mounts.ts';
import type { RuntimeView } from './runtime-view.ts';
import type { PodWorld } from './world.ts';

type Place = Pick<PodWorld, 'config' | 'runtime' | 'files' | 'log'>;

/** Removes what a container that is gone has left: its log, with what was rotated away, and its last words. Throws what the disk throws. */
export async function removeTraces({ config, files }: Place, pod: Pod, container: ContainerStatus): Promise<void> {
  if (files === undefined) return;
  const log = logFile(config, pod, container);
  const cut = log.lastIndexOf('/');
  const [folder, name] = [log.slice(0, cut), log.slice(cut + 1)];
  for (const file of await files.list(folder))
    if (file === name || file.startsWith(`${name}.`)) await files.remove(`${folder}/${file}`);
  await files.remove(terminationFile({ config }, pod, container));
}

/** What of a pod may go, newest first: all of it when it has ended, else all but the last of each name that has. Pure. */
export function discardable(containers: readonly ContainerStatus[], isOver: boolean): readonly ContainerStatus[] {
  const kept = new Set<string>();
  return containers.filter(({ name, state }) => {
    if (state !== 'exited' && !(isOver && state === 'created')) return false;
    if (isOver || kept.has(name)) return true;
    kept.add(name);
    return false;
  });
}

/**
 * Makes room: removes what is dead of a pod, and where all of it is also its sandboxes. The view tells of them as before.
 * Answers how many containers went; what cannot be removed is told.
 */
export async function discardDead(
  world: Place,
  of: { readonly pod: Pod; readonly view: RuntimeView; readonly isOver: boolean },
): Promise<number> {
  const { pod, view, isOver } = of;
  const { runtime, log } = world;
  const attempt = async (id: string, remove: () => Promise<void>): Promise<boolean> => {
    try {
      await remove();
      return true;
    } catch (error) {
      log.error(error, 'Failed to remove what is dead of a pod', { uid: pod.metadata.uid, id });
      return false;
    }
  };
  let gone = 0;
  for (const container of discardable(view.containers, isOver)) {
    const { id } = container;
    if (view.isDiscarded(id)) continue;
    if (await attempt(id, () => view.discard(id, () => runtime.removeContainer(id)))) gone++;
    if (view.isDiscarded(id)) await attempt(id, () => removeTraces(world, pod, container));
  }
  const isEmpty = isOver && view.containers.every(({ id }) => view.isDiscarded(id));
  for (const { id, state } of isEmpty ? view.sandboxes : []) {
    if (state === 'ready' || view.isDiscarded(id)) continue;
    await attempt(id, () => view.discard(id, () => runtime.removeSandbox(id)));
  }
  return gone;
}

/** Takes all away that a pod that ended has on the node, and waits until the API knows how it was at last. */
export async function clearAway(world: PodWorld, pod: Pod, { containers, sandboxes }: RuntimeView): Promise<void> {
  const { runtime, files, statuses } = world;
  await Promise.all(containers.map((c) => runtime.removeContainer(c.id)));
  await Promise.all(sandboxes.map((s) => runtime.removeSandbox(s.id)));
  await world.removeRemains(pod);
  await files?.remove(podDirectory(world, pod));
  await world.groups.forget(pod);
  const twin = world.apiTwin(pod);
  if (twin !== undefined) await statuses.flush(twin.metadata.uid ?? '');
}
