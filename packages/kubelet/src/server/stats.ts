import { formatTime } from '@binnacle/base';
import type { Kubelet } from '../kubelet.ts';

/** The least of `/stats/summary`: memory and CPU of each running container. */
export async function statsSummary(kubelet: Kubelet, now: number): Promise<object> {
  const byId = new Map((await kubelet.stats()).map((s) => [s.id, s]));
  const time = formatTime(now);
  const pods = kubelet.pods().map(({ pod, status }) => ({
    podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
    startTime: status.startTime,
    containers: (status.containerStatuses ?? []).flatMap((container) => {
      const stats = byId.get(container.containerID?.split('://')[1] ?? '');
      if (stats === undefined) return [];
      return [
        {
          name: container.name,
          startTime: container.state?.running?.startedAt,
          cpu: { time, usageCoreNanoSeconds: stats.cpuUsageNanos },
          memory: { time, workingSetBytes: stats.memoryWorkingSetBytes },
        },
      ];
    }),
  }));
  return { node: { nodeName: kubelet.nodeName, startTime: time }, pods };
}
