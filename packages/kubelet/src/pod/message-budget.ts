/** How long the last words of all containers of one pod may be together: its object goes to everybody who watches pods. */
import { utf8Prefix } from '@binnacle/base';
import type { ContainerState, ContainerStatus, Pod, PodStatus } from '@binnacle/api/core/v1';

/** Of all of them, in bytes of UTF-8. */
const BYTES_MAX = 12 * 1024;

type Statuses = Pick<PodStatus, 'initContainerStatuses' | 'containerStatuses' | 'ephemeralContainerStatuses'>;

/** Each container of the definition has an equal part; what is longer is cut, between characters. Pure. */
export function withinBudget({ spec }: Pod, statuses: Statuses): Statuses {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const bytesMax = Math.floor(
    BYTES_MAX / Math.max(1, containers.length + initContainers.length + ephemeralContainers.length),
  );
  const cutAll = (all: readonly ContainerStatus[]): ContainerStatus[] =>
    all.map((status) => cutStatus(status, bytesMax));
  return Object.fromEntries(Object.entries(statuses).map(([key, all]) => [key, cutAll(all)]));
}

function cutStatus(status: ContainerStatus, bytesMax: number): ContainerStatus {
  const state = cutState(status.state, bytesMax);
  const lastState = cutState(status.lastState, bytesMax);
  if (state === status.state && lastState === status.lastState) return status;
  return { ...status, ...(state && { state }), ...(lastState && { lastState }) };
}

function cutState(state: ContainerState | undefined, bytesMax: number): ContainerState | undefined {
  if (state?.terminated?.message === undefined) return state;
  const message = utf8Prefix(state.terminated.message, bytesMax);
  return message === state.terminated.message ? state : { ...state, terminated: { ...state.terminated, message } };
}
