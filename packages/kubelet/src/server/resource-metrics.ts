import type { Kubelet } from '../kubelet.ts';
import { type Family, type Sample, exposition } from './exposition.ts';
import { type RunningPod, runningPods, sumOf } from './running.ts';

const NANOS = 1e9;

/**
 * `/metrics/resource`: CPU and memory of the node, of pods and of containers. Families and labels are upstream's, which
 * makers of metrics.k8s.io read.
 */
export async function resourceMetrics(
  kubelet: Pick<Kubelet, 'pods' | 'stats' | 'usage'>,
  now: number,
): Promise<string> {
  const [pods, node] = await Promise.all([runningPods(kubelet), kubelet.usage()]);
  const running = pods.filter((pod) => pod.containers.length > 0);
  const containers = (of: (one: RunningPod['containers'][number]) => number): Sample[] =>
    running.flatMap(({ pod, containers: all }) =>
      all.map((one) => ({ labels: { container: one.name, ...place(pod) }, value: of(one), at: one.stats.at ?? now })),
    );
  const perPod = (of: (pod: RunningPod) => number): Sample[] =>
    running.map((one) => ({ labels: place(one.pod), value: of(one), at: readAt(one.containers, now) }));
  const everything = running.flatMap((pod) => pod.containers);
  const atOfAll = node === undefined ? readAt(everything, now) : now;
  const cpuOfAll = node?.cpuUsageNanos ?? sumOf(everything, (stats) => stats.cpuUsageNanos);
  const memoryOfAll = node?.memoryWorkingSetBytes ?? sumOf(everything, (stats) => stats.memoryWorkingSetBytes);
  return exposition([
    family('container_cpu_usage_seconds_total', 'counter', {
      help: '[STABLE] Cumulative cpu time consumed by the container in core-seconds',
      samples: containers(({ stats }) => stats.cpuUsageNanos / NANOS),
    }),
    family('container_memory_working_set_bytes', 'gauge', {
      help: '[STABLE] Current working set of the container in bytes',
      samples: containers(({ stats }) => stats.memoryWorkingSetBytes),
    }),
    family('container_start_time_seconds', 'gauge', {
      help: '[STABLE] Start time of the container since unix epoch in seconds',
      samples: containers(({ startedAt }) => startedAt / 1000),
    }),
    family('node_cpu_usage_seconds_total', 'counter', {
      help: '[STABLE] Cumulative cpu time consumed by the node in core-seconds',
      samples: [{ labels: {}, value: cpuOfAll / NANOS, at: atOfAll }],
    }),
    family('node_memory_working_set_bytes', 'gauge', {
      help: '[STABLE] Current working set of the node in bytes',
      samples: [{ labels: {}, value: memoryOfAll, at: atOfAll }],
    }),
    family('pod_cpu_usage_seconds_total', 'counter', {
      help: '[STABLE] Cumulative cpu time consumed by the pod in core-seconds',
      samples: perPod((pod) => sumOf(pod.containers, (stats) => stats.cpuUsageNanos) / NANOS),
    }),
    family('pod_memory_working_set_bytes', 'gauge', {
      help: '[STABLE] Current working set of the pod in bytes',
      samples: perPod((pod) => sumOf(pod.containers, (stats) => stats.memoryWorkingSetBytes)),
    }),
    family('resource_scrape_error', 'gauge', {
      help: '[STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
      samples: [{ labels: {}, value: 0 }],
    }),
  ]);
}

function family(
  name: string,
  type: Family['type'],
  of: { readonly help: string; readonly samples: readonly Sample[] },
): Family {
  return { name, type, ...of };
}

/** When counters were read: a rate over any other time is another rate. */
function readAt(containers: RunningPod['containers'], now: number): number {
  return containers.reduce((latest, { stats }) => Math.max(latest, stats.at ?? now), 0) || now;
}

function place({ metadata }: RunningPod['pod']): { readonly namespace: string; readonly pod: string } {
  return { namespace: metadata.namespace ?? '', pod: metadata.name ?? '' };
}
