import { isSidecar } from '@binnacle/api';
import { formatTime } from '@binnacle/base';
import type { Container, ContainerState, ContainerStatus, Pod, ResourceRequirements } from '@binnacle/api/core/v1';
import type { ContainerStatus as RuntimeContainer } from '@binnacle/runtime';
import { allocatedResources, restartCountOf, recursivelyReadOnlyPaths } from '../container/labels.ts';
import { mountedAt } from '../container/container-config.ts';
import { restartsAfter } from './seen.ts';
import { TAKEN_AWAY, WAITS_ANEW, wasTold } from './restart-all.ts';
import type { ProbeVerdict } from '../probe/verdict.ts';
import type { PodSeen } from './seen.ts';

const LOST = 'ContainerStatusUnknown';

export interface StatusInput {
  readonly seen: PodSeen;
  readonly runtimeName: string;
  /** By container id. */
  readonly terminationMessages: ReadonlyMap<string, string>;
  /** No container will run again: states stay as they ended. */
  readonly terminal: boolean;
}

/** Statuses of init, regular or ephemeral containers, in the order of the spec. */
export function containerStatuses(
  input: StatusInput,
  containers: readonly Container[],
  role: 'init' | 'regular' | 'ephemeral',
): ContainerStatus[] {
  return containers.map((container) => oneStatus(input, container, role));
}

function oneStatus(input: StatusInput, container: Container, role: string): ContainerStatus {
  const { seen } = input;
  const made = seen.containers.filter((c) => c.name === container.name);
  const [latest, previous] = made;
  const before = oldStatus(seen.pod, container.name);
  if (latest === undefined) return takenAway(input, container) ?? withoutContainer(input, container, before);
  let state = stateOf(input, latest);
  let lastState = previous === undefined ? lastBefore(seen, container.name) : stateOf(input, previous);
  const problem = seen.problems.get(container.name);
  if (problem !== undefined && !input.terminal && waitsForStart(input, container, latest)) {
    if (state.terminated !== undefined) lastState = state;
    state = { waiting: { reason: problem.reason, ...(problem.message ? { message: problem.message } : {}) } };
  }
  const running = state.running !== undefined;
  const verdict = seen.verdicts.get(latest.id) ?? {};
  const started = running && (verdict.startup === undefined || verdict.startup === 'success');
  return {
    name: container.name,
    state,
    lastState: lastState.terminated === undefined ? {} : lastState,
    ready: isReady({ role, container, state, started, verdict }),
    restartCount: restartCountOf(latest.annotations),
    image: latest.image || (container.image ?? ''),
    imageID: latest.imageRef,
    containerID: `${input.runtimeName}://${latest.id}`,
    ...(role === 'ephemeral' ? {} : { started }),
    ...granted(container, {
      resources: running ? hasNow(seen, container, latest) : container.resources,
      readOnlyBelow: recursivelyReadOnlyPaths(latest.annotations),
    }),
    ...userOf(latest),
  };
}

/** What the container was given of what its definition asks for. */
function granted(
  container: Container,
  of: { readonly resources: ResourceRequirements | undefined; readonly readOnlyBelow: readonly string[] },
): Pick<ContainerStatus, 'allocatedResources' | 'resources' | 'stopSignal' | 'volumeMounts'> {
  const { requests: given } = container.resources ?? {};
  const { limits, requests } = of.resources ?? {};
  const resources = { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) };
  const modeOf = (mountPath: string): 'Enabled' | 'Disabled' =>
    of.readOnlyBelow.includes(mountedAt({ mountPath })) ? 'Enabled' : 'Disabled';
  const mounts = (container.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly === true ? { readOnly, recursiveReadOnly: modeOf(mountPath) } : {}),
  }));
  return {
    ...(container.lifecycle?.stopSignal === undefined ? {} : { stopSignal: container.lifecycle.stopSignal }),
    ...(given === undefined ? {} : { allocatedResources: given }),
    // Also where there are none: whether a node can resize is told by their presence.
    resources,
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

/** Whom it runs as, where the runtime tells. */
function userOf({ user }: RuntimeContainer): Pick<ContainerStatus, 'user'> {
  if (user === undefined) return {};
  return { user: { linux: { uid: user.uid, gid: user.gid, supplementalGroups: user.groups } } };
}

/** Of a running container: what the runtime says of it after a resize, else what it was made with. */
function hasNow({ resize }: PodSeen, container: Container, latest: RuntimeContainer): ResourceRequirements {
  return resize?.reported(latest, container.resources ?? {}) ?? allocatedResources(latest.annotations);
}

function isReady(of: {
  role: string;
  container: Container;
  state: ContainerState;
  started: boolean;
  verdict: ProbeVerdict;
}): boolean {
  if (of.role === 'ephemeral') return false;
  if (of.role === 'init' && !isSidecar(of.container)) return of.state.terminated?.exitCode === 0;
  return of.started && (of.verdict.readiness ?? 'success') === 'success';
}

/** Of one that has no predecessor in the runtime. */
function lastBefore({ pod, takenAway: taken }: PodSeen, name: string): ContainerState {
  return taken?.has(name) === true ? { terminated: TAKEN_AWAY } : (oldStatus(pod, name)?.lastState ?? {});
}

/** It was taken away for all to begin anew, by this kubelet or by one before it; undefined: it was not. */
function takenAway({ seen, terminal }: StatusInput, container: Container): ContainerStatus | undefined {
  const { pod, problems } = seen;
  const before = oldStatus(pod, container.name);
  const taken = seen.takenAway?.get(container.name);
  const isOfEarlier = wasTold(pod) && before !== undefined && before.state?.waiting === undefined;
  if (terminal || (taken === undefined && !isOfEarlier)) return undefined;
  const problem = problems.get(container.name);
  return {
    name: container.name,
    state: { waiting: problem === undefined ? WAITS_ANEW : { reason: problem.reason, message: problem.message } },
    lastState: { terminated: TAKEN_AWAY },
    ready: false,
    restartCount: 1 + (taken === undefined ? (before?.restartCount ?? 0) : restartCountOf(taken.annotations)),
    image: container.image ?? '',
    imageID: '',
    started: false,
  };
}

/** Never made: it waits, with the problem that keeps it from being made, or because its turn has not come. */
function withoutContainer(
  input: StatusInput,
  container: Container,
  before: ContainerStatus | undefined,
): ContainerStatus {
  const { pod, problems } = input.seen;
  const problem = problems.get(container.name);
  const ended = before?.state?.terminated;
  const isLost = before?.state?.running !== undefined && !input.terminal;
  const reason =
    problem?.reason ?? ((pod.spec?.initContainers?.length ?? 0) > 0 ? 'PodInitializing' : 'ContainerCreating');
  // What was told of it was whole, and is all that there is.
  if (before !== undefined && ended !== undefined && (problem === undefined || input.terminal)) return before;
  const state: ContainerState =
    before !== undefined && ranOnce(before) && input.terminal
      ? lost(before, 'The container could not be located when the pod was terminated')
      : { waiting: { reason, ...(problem?.message ? { message: problem.message } : {}) } };
  return {
    name: container.name,
    state,
    lastState: ended !== undefined && state.waiting !== undefined ? { terminated: ended } : lastOf(before, isLost),
    ready: ended?.exitCode === 0 && !isSidecar(container) && isInit(pod, container.name),
    restartCount: (before?.restartCount ?? 0) + (isLost && pod.metadata.deletionTimestamp === undefined ? 1 : 0),
    image: container.image ?? '',
    imageID: ended === undefined ? '' : (before?.imageID ?? ''),
    ...(ended !== undefined && before?.containerID !== undefined ? { containerID: before.containerID } : {}),
    started: false,
  };
}

/** It runs as far as the API knows, or was lost before. */
function ranOnce({ state, lastState }: ContainerStatus): boolean {
  return state?.running !== undefined || lastState?.terminated?.reason === LOST;
}

/** A container that ran and is gone from the runtime has ended somehow: its pod does not go back to Pending for it. */
function lastOf(before: ContainerStatus | undefined, isLost: boolean): ContainerState {
  if (before?.lastState?.terminated !== undefined || !isLost || before === undefined) return before?.lastState ?? {};
  return lost(before, 'The container could not be located when the pod was deleted.  The container used to be Running');
}

function lost({ containerID }: ContainerStatus, message: string): ContainerState {
  const id = containerID === undefined ? {} : { containerID };
  return { terminated: { exitCode: 137, reason: LOST, message, ...id } };
}

/** Whether the problem is about the next start of this very container. */
function waitsForStart(input: StatusInput, container: Container, latest: RuntimeContainer): boolean {
  if (latest.state === 'running') return false;
  if (latest.state !== 'exited') return true;
  return restartsAfter(input.seen.pod, container, latest.exitCode);
}

function stateOf(input: StatusInput, container: RuntimeContainer): ContainerState {
  switch (container.state) {
    case 'running':
      return { running: { startedAt: formatTime(container.startedAt) } };
    case 'exited': {
      const message = input.terminationMessages.get(container.id) || container.message;
      return {
        terminated: {
          exitCode: container.exitCode,
          reason: container.reason || (container.exitCode === 0 ? 'Completed' : 'Error'),
          ...(message ? { message } : {}),
          // Of what never started it is the beginning of time, as upstream's kubelet tells it.
          startedAt: formatTime(container.startedAt),
          finishedAt: formatTime(container.finishedAt),
          containerID: `${input.runtimeName}://${container.id}`,
        },
      };
    }
    case 'created':
    case 'unknown':
      return { waiting: { reason: 'ContainerCreating' } };
  }
}

function oldStatus(pod: Pod, name: string): ContainerStatus | undefined {
  const {
    initContainerStatuses = [],
    containerStatuses: regular = [],
    ephemeralContainerStatuses = [],
  } = pod.status ?? {};
  return [...initContainerStatuses, ...regular, ...ephemeralContainerStatuses].find((s) => s.name === name);
}

function isInit(pod: Pod, name: string): boolean {
  return (pod.spec?.initContainers ?? []).some((c) => c.name === name);
}
