import type { ContainerStats, ContainerStatus as RuntimeContainer } from '@binnacle/runtime';
import type { ContainerStatus, Pod } from '@binnacle/api/core/v1';
import type { Kubelet, KubeletPod } from '../kubelet.ts';

/** A running container with what it uses. */
export interface RunningContainer {
  readonly name: string;
  readonly status: ContainerStatus;
  readonly stats: ContainerStats;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A pod with those of its containers that run. */
export interface RunningPod extends KubeletPod {
  readonly containers: readonly RunningContainer[];
}

/** What pods use now: one question to the runtime for all of them. */
export async function runningPods(kubelet: Pick<Kubelet, 'pods' | 'stats'>): Promise<readonly RunningPod[]> {
  const byId = new Map((await kubelet.stats()).map((stats) => [stats.id, stats]));
  return kubelet.pods().map((pod) => ({ ...pod, containers: containersOf(pod, byId) }));
}

function containersOf(
  { status }: KubeletPod,
  byId: ReadonlyMap<RuntimeContainer['id'], ContainerStats>,
): RunningContainer[] {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return all.flatMap((one) => {
    const stats = byId.get(one.containerID?.split('://')[1] ?? '');
    const startedAt = Date.parse(one.state?.running?.startedAt ?? '');
    return stats === undefined || Number.isNaN(startedAt) ? [] : [{ name: one.name, status: one, stats, startedAt }];
  });
}

/** The sum over containers. */
export function sumOf(containers: readonly RunningContainer[], of: (stats: ContainerStats) => number): number {
  return containers.reduce((sum, { stats }) => sum + of(stats), 0);
}

export function podReference({ metadata }: Pod): { name: string; namespace: string; uid: string } {
  return { name: metadata.name ?? '', namespace: metadata.namespace ?? '', uid: metadata.uid ?? '' };
}
