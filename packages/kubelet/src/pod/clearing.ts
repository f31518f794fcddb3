import type { Pod } from '@binnacle/api/core/v1';
import { podDirectory } from './mounts.ts';
import type { RuntimeView } from './runtime-view.ts';
import type { PodWorld } from './world.ts';

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
