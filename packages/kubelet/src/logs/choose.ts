import type { ContainerStatus, Pod, PodStatus } from '@binnacle/api/core/v1';
import { LogError } from '../errors.ts';
import { allContainers } from '../container/pod-containers.ts';

const WAITING: { readonly [reason: string]: string } = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/**
 * Which of a pod's containers the log is of: the id of the one running, or ended, or (with `previous`) the one before.
 * Throws LogError (400) in upstream's words.
 */
export function chooseLog(
  of: { readonly pod: Pod; readonly status: PodStatus },
  name: string | undefined,
  previous: boolean,
): { readonly name: string; readonly id: string } {
  const container = containerName(of.pod, name);
  const podName = of.pod.metadata.name ?? '';
  const status = statusOf(of.status, container);
  if (status === undefined) throw new LogError(400, `container "${container}" in pod "${podName}" is not available`);
  const { state, lastState } = status;
  const before = lastState?.terminated?.containerID;
  if (previous) {
    if (before === undefined)
      throw new LogError(400, `previous terminated container "${container}" in pod "${podName}" not found`);
    return { name: container, id: withoutScheme(before) };
  }
  const id = state?.running !== undefined ? status.containerID : (state?.terminated?.containerID ?? before);
  if (id !== undefined) return { name: container, id: withoutScheme(id) };
  const reason = state?.waiting?.reason ?? '';
  const why = WAITING[reason] ?? reason;
  throw new LogError(400, `container "${container}" in pod "${podName}" is waiting to start: ${why}`);
}

function containerName(pod: Pod, name: string | undefined): string {
  const all = allContainers(pod);
  const podName = pod.metadata.name ?? '';
  if (name !== undefined && name !== '') {
    if (all.some((c) => c.name === name)) return name;
    throw new LogError(400, `container ${name} is not valid for pod ${podName}`);
  }
  const { containers, initContainers = [] } = pod.spec;
  const [only] = containers;
  if (only !== undefined && containers.length === 1) return only.name;
  const list = (names: readonly { readonly name: string }[]): string => names.map((c) => c.name).join(' ');
  const init = initContainers.length > 0 ? ` or one of the init containers: [${list(initContainers)}]` : '';
  throw new LogError(
    400,
    `a container name must be specified for pod ${podName}, choose one of: [${list(containers)}]${init}`,
  );
}

function statusOf(status: PodStatus, name: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find((s) => s.name === name);
}

function withoutScheme(id: string): string {
  const at = id.indexOf('://');
  return at === -1 ? id : id.slice(at + 3);
}
