import type { Kubelet } from '../kubelet.ts';
import { cgroupParent } from '../container/resources.ts';
import { type Family, exposition } from './exposition.ts';
import { type RunningContainer, type RunningPod, runningPods } from './running.ts';

const NANOS = 1e9;

/** What cAdvisor calls it, what it is, and how it is read; undefined: the runtime does not tell. */
const READINGS: readonly (readonly [
  name: string,
  type: Family['type'],
  help: string,
  read: (container: RunningContainer) => number | undefined,
])[] = [
  [
    'container_cpu_usage_seconds_total',
    'counter',
    'Cumulative cpu time consumed in seconds.',
    ({ stats }) => stats.cpuUsageNanos / NANOS,
  ],
  [
    'container_memory_working_set_bytes',
    'gauge',
    'Current working set in bytes.',
    ({ stats }) => stats.memoryWorkingSetBytes,
  ],
  [
    'container_memory_usage_bytes',
    'gauge',
    'Current memory usage in bytes, including all memory regardless of when it was accessed',
    ({ stats }) => stats.memoryUsageBytes,
  ],
  ['container_memory_rss', 'gauge', 'Size of RSS in bytes.', ({ stats }) => stats.memoryRssBytes],
  [
    'container_fs_usage_bytes',
    'gauge',
    'Number of bytes that are consumed by the container on this filesystem.',
    ({ stats }) => stats.filesystem?.usedBytes,
  ],
  [
    'container_fs_inodes_total',
    'gauge',
    'Number of inodes that the container has on this filesystem.',
    ({ stats }) => stats.filesystem?.inodesUsed,
  ],
  [
    'container_start_time_seconds',
    'gauge',
    'Start time of the container since unix epoch in seconds.',
    ({ startedAt }) => startedAt / 1000,
  ],
];

/** `/metrics/cadvisor`: what containers use under the names that dashboards know, and what the machine has. */
export async function containerMetrics(kubelet: Kubelet, now: number): Promise<string> {
  const pods = await runningPods(kubelet);
  const machine: Family[] = [
    {
      name: 'machine_cpu_cores',
      type: 'gauge',
      help: 'Number of logical CPU cores.',
      samples: [{ labels: {}, value: kubelet.machine.cpus }],
    },
    {
      name: 'machine_memory_bytes',
      type: 'gauge',
      help: 'Amount of memory installed on the machine.',
      samples: [{ labels: {}, value: kubelet.machine.memoryBytes }],
    },
  ];
  const containers = READINGS.map(([name, type, help, read]): Family => ({
    name,
    type,
    help,
    samples: pods.flatMap((pod) =>
      pod.containers.flatMap((container) => {
        const value = read(container);
        return value === undefined ? [] : [{ labels: labelsOf(kubelet, pod, container), value, at: now }];
      }),
    ),
  }));
  return exposition([...containers, ...machine]);
}

function labelsOf(kubelet: Kubelet, { pod }: RunningPod, { name, stats, status }: RunningContainer) {
  return {
    container: name,
    id: `${cgroupParent(kubelet.config.cgroupRoot, pod)}/${stats.id}`,
    image: status.image,
    name: stats.id,
    namespace: pod.metadata.namespace ?? '',
    pod: pod.metadata.name ?? '',
  };
}
