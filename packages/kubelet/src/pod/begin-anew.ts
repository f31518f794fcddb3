import type { Pod } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import { removeTraces } from './clearing.ts';
import { stopSignal } from './killing.ts';
import { begunAnew, restartTriggers } from './restart-all.ts';
import type { RuntimeView } from './runtime-view.ts';
import type { PodWorld } from './world.ts';

/**
 * Kills all of a pod's containers, without hooks and without grace, and takes them away; the sandbox, volumes and ephemeral
 * containers stay. What asked for it goes last: whoever comes in between (a kubelet that starts again) knows what is to be
 * done. Of each container the last log stays. Throws what the runtime throws.
 */
export async function beginAnew(world: PodWorld, pod: Pod, view: RuntimeView): Promise<void> {
  const triggers = new Set(restartTriggers({ pod, containers: view.containers }).map(({ id }) => id));
  const names = new Set(begunAnew(pod).map(({ name }) => name));
  const own = (): readonly ContainerStatus[] => view.containers.filter(({ name }) => names.has(name));
  await Promise.all(own().map((container) => kill(world, pod, { view, container })));
  // They come newest first: of a name the newest is taken away last.
  const ended = own().toReversed();
  for (const container of [
    ...ended.filter(({ id }) => !triggers.has(id)),
    ...ended.filter(({ id }) => triggers.has(id)),
  ]) {
    const earlier = view.takenAway?.get(container.name);
    await view.takeAway(container, () => world.runtime.removeContainer(container.id));
    if (earlier !== undefined) await removeTraces(world, pod, earlier);
  }
}

async function kill(
  { runtime, events }: PodWorld,
  pod: Pod,
  { view, container }: { readonly view: RuntimeView; readonly container: ContainerStatus },
): Promise<void> {
  if (container.state !== 'running' && container.state !== 'unknown') return;
  const { id, name } = container;
  events.pod(pod, 'Normal', { reason: 'Killing', message: `Stopping container ${name}`, container: name });
  await runtime.stopContainer(id, 0, stopSignal(container));
  await view.refreshContainer(id);
}
