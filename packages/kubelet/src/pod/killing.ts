import type { Container } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import { POD_GRACE_PERIOD } from '../container/labels.ts';
import { runHook } from './hooks.ts';
import type { RuntimeView } from './runtime-view.ts';
import { isSidecar } from './seen.ts';
import { allContainers } from '../container/pod-containers.ts';
import type { PodWorld } from './world.ts';
import type { Pod } from '@binnacle/api/core/v1';

const DEFAULT_GRACE_SECONDS = 30;
/** After a preStop hook that took all the time, the container still gets this much. */
const MIN_GRACE_SECONDS = 2;

export interface KillRequest {
  readonly pod: Pod;
  readonly view: RuntimeView;
  readonly graceSeconds: number;
}

/** How long a pod may take to stop. A deletion's own period wins; 0 becomes 1, so that signals are still sent. */
export function graceSeconds(pod: Pod): number {
  const asked = pod.metadata.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds;
  return Math.max(1, asked ?? DEFAULT_GRACE_SECONDS);
}

/** What a container of an unknown pod was made with. */
export function annotatedGrace(annotations: { readonly [key: string]: string }): number {
  const seconds = Number(annotations[POD_GRACE_PERIOD] ?? DEFAULT_GRACE_SECONDS);
  return Number.isFinite(seconds) ? Math.max(1, seconds) : DEFAULT_GRACE_SECONDS;
}

/** Stops all of a pod's containers, sidecars after the others in reverse order, then its sandboxes. */
export async function killPod(world: PodWorld, request: KillRequest): Promise<void> {
  const { pod, view } = request;
  const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar).map((c) => c.name);
  const running = view.containers.filter((c) => c.state === 'running' || c.state === 'unknown');
  const began = world.clock.monotonic();
  await Promise.all(
    running.filter((c) => !sidecars.includes(c.name)).map((c) => killContainer(world, c, { ...request, message: '' })),
  );
  for (const name of sidecars.toReversed()) {
    const left = Math.max(MIN_GRACE_SECONDS, request.graceSeconds - (world.clock.monotonic() - began) / 1000);
    const list = running.filter((c) => c.name === name);
    await Promise.all(list.map((c) => killContainer(world, c, { pod, view, graceSeconds: left, message: '' })));
  }
  await Promise.all(
    view.sandboxes
      .filter((s) => s.state === 'ready')
      .map(async (s) => {
        await world.runtime.stopSandbox(s.id);
        await view.refreshSandbox(s.id);
      }),
  );
}

/** Runs the preStop hook and stops one container; the view knows its end afterwards. */
export async function killContainer(
  world: PodWorld,
  container: ContainerStatus,
  request: KillRequest & { readonly message: string },
): Promise<void> {
  const { pod, view } = request;
  const spec = allContainers(pod).find((c) => c.name === container.name);
  const message = request.message || `Stopping container ${container.name}`;
  world.events.pod(pod, 'Normal', { reason: 'Killing', message, container: container.name });
  const spent = await preStop(world, container, { ...request, spec });
  const left = Math.max(MIN_GRACE_SECONDS, Math.ceil(request.graceSeconds - spent));
  await world.runtime.stopContainer(container.id, spent > 0 ? left : request.graceSeconds);
  await view.refreshContainer(container.id);
}

/** Seconds that the hook took. */
async function preStop(
  world: PodWorld,
  container: ContainerStatus,
  request: KillRequest & { readonly spec: Container | undefined },
): Promise<number> {
  const handler = request.spec?.lifecycle?.preStop;
  if (handler === undefined || request.spec === undefined || request.graceSeconds <= 0) return 0;
  const began = world.clock.monotonic();
  const failure = await runHook(world, handler, {
    pod: request.pod,
    container: request.spec,
    containerId: container.id,
    podIP: request.view.sandboxes[0]?.ips[0] ?? '127.0.0.1',
    timeoutMs: request.graceSeconds * 1000,
  });
  if (failure !== undefined) {
    world.log.warn('PreStop hook failed', { container: container.name, failure });
    world.events.pod(request.pod, 'Warning', {
      reason: 'FailedPreStopHook',
      message: 'PreStopHook failed',
      container: container.name,
    });
  }
  return (world.clock.monotonic() - began) / 1000;
}
