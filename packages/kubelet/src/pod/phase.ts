import type { Container, ContainerStatus, Pod } from '@binnacle/api/core/v1';
import { isSidecar } from '../container/pod-containers.ts';
import { podRestartPolicy } from './seen.ts';

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
  const policy = podRestartPolicy(input.pod);
  const init = countInits(input);
  if (init.failed > 0 && (policy === 'Never' || input.terminal)) return 'Failed';
  const counts = countRegular(input);
  if (init.pending > 0 && !input.terminal && !anyStarted(input)) return 'Pending';
  if (counts.waiting > 0 && !input.terminal) return 'Pending';
  if (counts.running > 0 && counts.unknown === 0) return 'Running';
  if (counts.running === 0 && counts.stopped > 0 && counts.unknown === 0) {
    const all = counts.stopped === counts.succeeded;
    if (input.terminal) return all && counts.waiting === 0 ? 'Succeeded' : 'Failed';
    if (restartsAlways(input)) return 'Running';
    if (all) return 'Succeeded';
    return policy === 'Never' && !someRestart(input) ? 'Failed' : 'Running';
  }
  return input.terminal ? 'Failed' : 'Pending';
}

function countInits(input: PhaseInput): { pending: number; failed: number } {
  let pending = 0;
  let failed = 0;
  for (const container of input.pod.spec?.initContainers ?? []) {
    const status = input.init.find((s) => s.name === container.name);
    if (isSidecar(container)) {
      if (status?.started !== true) pending++;
      continue;
    }
    const ended = status?.state?.terminated ?? (status?.state?.waiting ? status.lastState?.terminated : undefined);
    if (ended === undefined) pending++;
    else if (ended.exitCode !== 0) failed++;
  }
  // A failed init container that will be tried again keeps the pod waiting.
  return { pending: pending + failed, failed };
}

function countRegular(input: PhaseInput): {
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
} {
  const counts = { unknown: 0, running: 0, waiting: 0, stopped: 0, succeeded: 0 };
  for (const container of input.pod.spec?.containers ?? []) {
    const status = input.regular.find((s) => s.name === container.name);
    if (status?.state?.running) counts.running++;
    else if (status?.state?.terminated) {
      counts.stopped++;
      if (status.state.terminated.exitCode === 0) counts.succeeded++;
    } else if (status?.state?.waiting) {
      if (status.lastState?.terminated) counts.stopped++;
      else counts.waiting++;
    } else counts.unknown++;
  }
  return counts;
}

function anyStarted(input: PhaseInput): boolean {
  return input.regular.some(
    (s) => s.started === true || s.state?.terminated !== undefined || s.lastState?.terminated !== undefined,
  );
}

function restartsAlways(input: PhaseInput): boolean {
  return (
    podRestartPolicy(input.pod) === 'Always' &&
    (input.pod.spec?.containers ?? []).every((c) => ownPolicy(c) === undefined)
  );
}

function someRestart(input: PhaseInput): boolean {
  return (input.pod.spec?.containers ?? []).some((c) => ownPolicy(c) !== undefined && ownPolicy(c) !== 'Never');
}

function ownPolicy(container: Container): string | undefined {
  return container.restartPolicy;
}
