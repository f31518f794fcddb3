/**
 * The end of one container may ask for all of its pod's to begin anew (rules of action `RestartAllContainers`, KEP-5532): they
 * are killed and taken away, all but ephemeral ones, and the pod starts in its sandbox as if nothing of it had run. Pure.
 */
import { mayRestartAll } from '@binnacle/api';
import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from '@binnacle/api/core/v1';
import type { ContainerStatus as RuntimeContainer } from '@binnacle/runtime';
import { type PodSeen, latestOf, ruleAfter } from './seen.ts';

const RESTART_ALL = 'RestartAllContainers';
const REASON = 'RestartingAllContainers';
const MESSAGE = 'The container is removed because RestartAllContainers in place';

/** What the condition about it says while it is under way. */
export const RESTARTING = {
  type: 'AllContainersRestarting',
  reason: 'RestartAllContainersStarted',
  message: 'container exited with restart policy rule',
} as const;

/** How the API tells of a container that was taken away, and of its end for as long as nothing newer is known. */
export const WAITS_ANEW = { reason: REASON, message: MESSAGE } as const;
export const TAKEN_AWAY: ContainerStateTerminated = { exitCode: 137, reason: REASON, message: MESSAGE };

/** Those whose end asks for it now; as long as one is there it is not done. */
export function restartTriggers(seen: Pick<PodSeen, 'pod' | 'containers'>): readonly RuntimeContainer[] {
  return begunAnew(seen.pod).flatMap((container) => {
    if (!mayRestartAll(container)) return [];
    const latest = latestOf(seen, container.name);
    if (latest?.state !== 'exited' || ruleAfter(container, latest.exitCode)?.action !== RESTART_ALL) return [];
    return [latest];
  });
}

/** The containers of the pod that begin anew with all: an ephemeral one has run, and does not run again. */
export function begunAnew({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

/** Whether a container waits because it was taken away: its end was nothing that it did. */
export function waitsAnew({ state, lastState }: ContainerStatus): boolean {
  return state?.waiting !== undefined && lastState?.terminated?.reason === REASON;
}

/** Whether the API was told that it is under way. */
export function wasTold({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === RESTARTING.type && is === 'True') === true;
}
