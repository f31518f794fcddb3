import { formatTime } from '@binnacle/base';
import type { ContainerStats } from '@binnacle/runtime';
import type { Pod } from '@binnacle/api/core/v1';
import type { PodDisk } from '../disk-figures.ts';
import type { Kubelet } from '../kubelet.ts';
import type { VolumeFigures } from '../volume/volume-figures.ts';
import type { Disks } from '../node-disks.ts';
import { NO_FILES, sumOfCounts } from '../figures.ts';
import type { FilesystemUsage, NodeUsage } from '../figures.ts';
import { systemContainers } from './system-containers.ts';
import { type RunningContainer, type RunningPod, podReference, runningPods, sumOf } from './running.ts';

/** `/stats/summary`: what the node, its pods and their containers use. What nobody can tell is left out. */
export async function statsSummary(
  kubelet: Kubelet,
  now: number,
): Promise<{ readonly node: object; readonly pods: readonly object[] }> {
  const time = formatTime(now);
  const [pods, usage, system] = await Promise.all([
    runningPods(kubelet),
    kubelet.usage(),
    systemContainers(kubelet, time),
  ]);
  const disks = usage && (await kubelet.disks.look(usage));
  const [podDisks, volumes] = await Promise.all([
    kubelet.podDisks(),
    Promise.all(pods.map(({ pod }) => kubelet.volumeStats(pod.metadata.uid ?? ''))),
  ]);
  const filesystem = usage?.filesystem;
  return {
    node: {
      nodeName: kubelet.nodeName,
      ...(system.length === 0 ? {} : { systemContainers: system }),
      startTime: formatTime(usage?.startedAt ?? kubelet.startedAt),
      ...(usage === undefined ? {} : nodeParts(kubelet, usage, time)),
      ...(disks === undefined ? {} : runtimePart(disks, time)),
    },
    pods: pods.map((pod, i) => {
      const disk = podDisks.get(pod.pod.metadata.uid ?? '');
      return {
        ...podPart(pod, { time, disk, filesystem }),
        ...volumesPart(pod.pod, [...(disk?.volumes ?? []), ...(volumes[i] ?? [])], time),
      };
    }),
  };
}

function nodeParts(kubelet: Kubelet, usage: NodeUsage, time: string): object {
  const { rates } = kubelet;
  return {
    cpu: { time, ...rate(rates.of('', usage.cpuUsageNanos)), usageCoreNanoSeconds: usage.cpuUsageNanos },
    memory: {
      time,
      availableBytes: usage.memoryAvailableBytes,
      usageBytes: usage.memoryUsageBytes,
      workingSetBytes: usage.memoryWorkingSetBytes,
    },
    ...filesystemPart('fs', usage.filesystem, time),
    ...(usage.interfaces === undefined ? {} : { network: networkPart(usage.interfaces, time) }),
    rlimit: { time, maxpid: usage.maxPids, curproc: usage.pids },
  };
}

function runtimePart({ images, layers }: Disks, time: string): object {
  const runtime = { ...filesystemPart('imageFs', images, time), ...filesystemPart('containerFs', layers, time) };
  return Object.keys(runtime).length === 0 ? {} : { runtime };
}

function filesystemPart(name: string, usage: FilesystemUsage | undefined, time: string): object {
  return usage === undefined ? {} : { [name]: { time, ...usage } };
}

function networkPart(interfaces: NonNullable<NodeUsage['interfaces']>, time: string): object {
  return { time, ...interfaces[0], interfaces };
}

function volumesPart(pod: Pod, volumes: readonly VolumeFigures[], time: string): object {
  if (volumes.length === 0) return {};
  const { namespace = '' } = pod.metadata;
  return {
    volume: volumes.map(({ name, claim, bytes, inodes, condition }) => ({
      time,
      name,
      ...(claim === undefined ? {} : { pvcRef: { name: claim, namespace } }),
      ...(bytes === undefined
        ? {}
        : { availableBytes: bytes.available, capacityBytes: bytes.total, usedBytes: bytes.used }),
      ...(inodes === undefined ? {} : { inodesFree: inodes.available, inodes: inodes.total, inodesUsed: inodes.used }),
      ...(condition === undefined ? {} : { volumeHealthStats: { abnormal: condition.abnormal } }),
    })),
  };
}

/** What is told of a pod beside what its containers use. */
interface OnDisk {
  readonly time: string;
  readonly disk: PodDisk | undefined;
  /** The one that pods' files lie on. */
  readonly filesystem: FilesystemUsage | undefined;
}

function podPart({ pod, status, containers }: RunningPod, of: OnDisk): object {
  const { time } = of;
  return {
    podRef: podReference(pod),
    startTime: status.startTime,
    containers: containers.map((container) => ({ ...containerPart(container, time), ...logsPart(container.name, of) })),
    ...(containers.length === 0
      ? {}
      : {
          cpu: {
            time,
            ...rate(total(containers, (stats) => stats.cpuNanoCores)),
            usageCoreNanoSeconds: sumOf(containers, (stats) => stats.cpuUsageNanos),
          },
          memory: {
            time,
            ...present(
              'usageBytes',
              total(containers, (stats) => stats.memoryUsageBytes),
            ),
            workingSetBytes: sumOf(containers, (stats) => stats.memoryWorkingSetBytes),
            ...present(
              'rssBytes',
              total(containers, (stats) => stats.memoryRssBytes),
            ),
          },
          'ephemeral-storage': ephemeralPart(containers, of),
        }),
  };
}

/** What a pod takes of the node's disk: layers, logs, and what goes with the pod. */
function ephemeralPart(containers: readonly RunningContainer[], { time, disk, filesystem }: OnDisk): object {
  const layers = total(containers, (stats) => stats.filesystem?.usedBytes);
  const layerInodes = total(containers, (stats) => stats.filesystem?.inodesUsed);
  const { bytes, inodes } = disk === undefined ? NO_FILES : [...disk.logs.values()].reduce(sumOfCounts, disk.ephemeral);
  return {
    time,
    ...leftPart(filesystem),
    ...present('usedBytes', plus(layers, bytes)),
    ...present('inodesUsed', plus(layerInodes, inodes)),
  };
}

function plus(sum: number | undefined, more: number): number | undefined {
  return sum === undefined ? undefined : sum + more;
}

function logsPart(container: string, { time, disk, filesystem }: OnDisk): object {
  const logs = disk?.logs.get(container);
  if (logs === undefined) return {};
  return { logs: { time, ...leftPart(filesystem), usedBytes: logs.bytes, inodesUsed: logs.inodes } };
}

/** What a file system has, and what is left of it. */
function leftPart(filesystem: FilesystemUsage | undefined): object {
  if (filesystem === undefined) return {};
  const { availableBytes, capacityBytes, inodesFree, inodes } = filesystem;
  return { availableBytes, capacityBytes, inodesFree, inodes };
}

/** A sum of what all of them tell; undefined where one does not. */
function total(
  containers: readonly RunningContainer[],
  of: (stats: ContainerStats) => number | undefined,
): number | undefined {
  const all = containers.map(({ stats }) => of(stats));
  return all.includes(undefined) ? undefined : all.reduce((sum: number, one) => sum + (one ?? 0), 0);
}

function containerPart({ name, stats, startedAt }: RunningContainer, time: string): object {
  const { filesystem } = stats;
  return {
    name,
    startTime: formatTime(startedAt),
    cpu: { time, ...rate(stats.cpuNanoCores), usageCoreNanoSeconds: stats.cpuUsageNanos },
    memory: {
      time,
      ...present('availableBytes', stats.memoryAvailableBytes),
      ...present('usageBytes', stats.memoryUsageBytes),
      workingSetBytes: stats.memoryWorkingSetBytes,
      ...present('rssBytes', stats.memoryRssBytes),
      ...present('pageFaults', stats.pageFaults),
      ...present('majorPageFaults', stats.majorPageFaults),
    },
    ...(filesystem === undefined ? {} : { rootfs: { time, ...filesystem } }),
  };
}

function rate(nanoCores: number | undefined): object {
  return present('usageNanoCores', nanoCores);
}

function present(name: string, value: number | undefined): object {
  return value === undefined ? {} : { [name]: value };
}
