import { isSidecar } from '@binnacle/api';
import type { ContainerStatus, Pod } from '@binnacle/api/core/v1';
import { waitsAnew } from './restart-all.ts';
import { restartsAfter } from './seen.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PhaseInput {
  readonly pod: Pod;
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
  /** Nothing of the pod will ever run again. */
  readonly terminal: boolean;
}

/** A pod's phase from its containers' states, as the kubelet computes it. */
export function podPhase(input: PhaseInput): PodPhase {
  const init = countInits(input);
  if (init.failedForGood > 0 || (init.failed > 0 && input.terminal)) return 'Failed';
  const counts = countRegular(input);
  if (init.pending > 0 && !input.terminal && !anyStarted(input)) return 'Pending';
  if (counts.waiting > 0 && !input.terminal) return 'Pending';
  // What runs beside them ends after them: until then the pod has not ended.
  const running = counts.running + init.sidecarsRunning;
  if (running > 0 && counts.unknown === 0) return 'Running';
  if (running === 0 && counts.stopped > 0 && counts.unknown === 0) {
    const all = counts.stopped === counts.succeeded;
    if (input.terminal) return all && counts.waiting === 0 ? 'Succeeded' : 'Failed';
    if (counts.restarting > 0) return 'Running';
    return all ? 'Succeeded' : 'Failed';
  }
  return input.terminal ? 'Failed' : 'Pending';
}

interface InitCounts {
  readonly pending: number;
  readonly failed: number;
  /** Nobody starts them again. */
  readonly failedForGood: number;
  readonly sidecarsRunning: number;
}

function countInits(input: PhaseInput): InitCounts {
  let [pending, failed, failedForGood, sidecarsRunning] = [0, 0, 0, 0];
  for (const container of input.pod.spec?.initContainers ?? []) {
    const status = input.init.find((s) => s.name === container.name);
    if (isSidecar(container)) {
      if (status?.state?.running) sidecarsRunning++;
      if (status?.started !== true) pending++;
      continue;
    }
    const ended = status !== undefined && waitsAnew(status) ? undefined : endOf(status);
    if (ended === undefined) pending++;
    else if (ended.exitCode !== 0) {
      failed++;
      if (!restartsAfter(input.pod, container, ended.exitCode)) failedForGood++;
    }
  }
  // A failed init container that will be tried again keeps the pod waiting.
  return { pending: pending + failed, failed, failedForGood, sidecarsRunning };
}

/** How a container that does not run ended the last time. */
function endOf(status: ContainerStatus | undefined): { readonly exitCode: number } | undefined {
  const { state, lastState } = status ?? {};
  return state?.terminated ?? (state?.waiting ? lastState?.terminated : undefined);
}

interface RegularCounts {
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
  /** Of those that stopped: they will be started again. */
  restarting: number;
}

function countRegular(input: PhaseInput): RegularCounts {
  const counts = { unknown: 0, running: 0, waiting: 0, stopped: 0, succeeded: 0, restarting: 0 };
  for (const container of input.pod.spec?.containers ?? []) {
    const status = input.regular.find((s) => s.name === container.name);
    const ended = endOf(status);
    if (status?.state?.running) counts.running++;
    else if (ended !== undefined) {
      counts.stopped++;
      if (status?.state?.terminated?.exitCode === 0) counts.succeeded++;
      if ((status !== undefined && waitsAnew(status)) || restartsAfter(input.pod, container, ended.exitCode))
        counts.restarting++;
    } else if (status?.state?.waiting) counts.waiting++;
    else counts.unknown++;
  }
  return counts;
}

function anyStarted(input: PhaseInput): boolean {
  return input.regular.some(
    (s) => s.started === true || s.state?.terminated !== undefined || s.lastState?.terminated !== undefined,
  );
}
