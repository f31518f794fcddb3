/** What a pod that has ended says of containers whose end nobody saw. */
import { isSidecar } from '@binnacle/api';
import type { ContainerState, ContainerStatus, Pod } from '@binnacle/api/core/v1';

interface Shown {
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
}

/** Kubernetes' own words: scripts look for them. */
const LOST: ContainerState = {
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
  },
};

/**
 * Nothing of a pod that has ended still waits: its regular containers ended somehow once it was initialised, and so did init
 * containers up to the last of which anything was seen (of which nothing was, the first). Pure.
 */
export function withLostEnds(
  pod: Pod,
  { init, regular }: Shown,
): { init: ContainerStatus[]; regular: ContainerStatus[] } {
  const begun = init.findLastIndex(
    ({ state, lastState }) => state?.waiting === undefined || Boolean(lastState?.terminated),
  );
  return {
    init: init.map((status, i) => (i <= Math.max(0, begun) ? ended(status) : status)),
    regular: isInitialized(pod, { init, regular }) ? regular.map(ended) : [...regular],
  };
}

function ended(status: ContainerStatus): ContainerStatus {
  return status.state?.terminated === undefined ? { ...status, state: LOST } : status;
}

function isInitialized({ spec: { initContainers = [] } }: Pod, { init, regular }: Shown): boolean {
  const last = initContainers.at(-1);
  if (last === undefined) return true;
  if (regular.some(({ state, lastState }) => Boolean(lastState?.terminated) || state?.waiting === undefined))
    return true;
  const { state, lastState, started } = init.find(({ name }) => name === last.name) ?? {};
  if (isSidecar(last)) return state?.running !== undefined && started === true;
  return state?.terminated?.exitCode === 0 || lastState?.terminated?.exitCode === 0;
}
