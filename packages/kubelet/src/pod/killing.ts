import { isSidecar } from '@binnacle/api';
import { messageOf, within } from '@binnacle/base';
import type { Container } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import { type TextMap, POD_GRACE_PERIOD, STOP_SIGNAL } from '../container/labels.ts';
import { runHook } from './hooks.ts';
import { podIPs } from './mounts.ts';
import type { RuntimeView } from './runtime-view.ts';
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

/** How a container wants to be stopped; undefined: as its image or the runtime says. */
export function stopSignal({ annotations }: { readonly annotations: TextMap }): string | undefined {
  return annotations[STOP_SIGNAL];
}

/** What a container of an unknown pod was made with. */
export function annotatedGrace(annotations: { readonly [key: string]: string }): number {
  const seconds = Number(annotations[POD_GRACE_PERIOD] ?? DEFAULT_GRACE_SECONDS);
  return Number.isFinite(seconds) ? Math.max(1, seconds) : DEFAULT_GRACE_SECONDS;
}

/** A shorter grace was asked for while containers are being stopped. What fails is told: the stop under way goes on. */
export function hastenEnd({ runtime, log }: PodWorld, { containers }: RuntimeView, graceSeconds: number): void {
  for (const container of containers) {
    if (container.state !== 'running') continue;
    const { id } = container;
    runtime.stopContainer(id, graceSeconds, stopSignal(container)).catch((error: unknown) => {
      log.warn('Failed to hasten the end of a container', { id, reason: messageOf(error) });
    });
  }
}

/**
 * Stops all of a pod's containers and its sandboxes. All preStop hooks begin at once; then a sidecar waits until the
 * others and the sidecars after it are gone. A sandbox that died by itself still holds its address and host ports.
 */
export async function killPod(world: PodWorld, request: KillRequest): Promise<void> {
  const { pod, view } = request;
  const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar).map((c) => c.name);
  const running = view.containers.filter((c) => c.state === 'running' || c.state === 'unknown');
  const kill = (list: readonly ContainerStatus[], turn: Promise<unknown>): Promise<unknown> =>
    Promise.all(list.map((c) => killContainer(world, c, { ...request, message: '', turn })));
  let turn = kill(
    running.filter((c) => !sidecars.includes(c.name)),
    Promise.resolve(),
  );
  for (const name of sidecars.toReversed()) {
    const before = turn;
    const own = kill(
      running.filter((c) => c.name === name),
      before,
    );
    turn = Promise.all([before, own]);
  }
  await turn;
  await Promise.all(
    view.sandboxes.map(async (s) => {
      await world.runtime.stopSandbox(s.id);
      if (s.state === 'ready') await view.refreshSandbox(s.id);
    }),
  );
}

/** Runs the preStop hook and stops one container; the view knows its end afterwards. */
export async function killContainer(
  world: PodWorld,
  container: ContainerStatus,
  request: KillRequest & { readonly message: string; readonly turn?: Promise<unknown> },
): Promise<void> {
  const { pod, view } = request;
  const began = world.clock.monotonic();
  const spec = allContainers(pod).find((c) => c.name === container.name);
  const message = request.message || `Stopping container ${container.name}`;
  world.events.pod(pod, 'Normal', { reason: 'Killing', message, container: container.name });
  await preStop(world, container, { ...request, spec });
  await ownTurn(world, request, began);
  const spent = (world.clock.monotonic() - began) / 1000;
  const left = Math.max(MIN_GRACE_SECONDS, Math.ceil(request.graceSeconds - spent));
  await world.runtime.stopContainer(container.id, spent > 0 ? left : request.graceSeconds, stopSignal(container));
  await view.refreshContainer(container.id);
}

/** Waits for those that have to go first, as long as the grace lasts. */
async function ownTurn(
  world: PodWorld,
  request: KillRequest & { readonly turn?: Promise<unknown> },
  began: number,
): Promise<void> {
  if (request.turn === undefined) return;
  const { clock } = world;
  await within(request.turn, { clock, ms: request.graceSeconds * 1000 - (clock.monotonic() - began) });
}

async function preStop(
  world: PodWorld,
  container: ContainerStatus,
  request: KillRequest & { readonly spec: Container | undefined },
): Promise<void> {
  const handler = request.spec?.lifecycle?.preStop;
  if (handler === undefined || request.spec === undefined || request.graceSeconds <= 0) return;
  const failure = await runHook(world, handler, {
    pod: request.pod,
    container: request.spec,
    containerId: container.id,
    podIP: podIPs(world, request)[0] ?? '127.0.0.1',
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
}
