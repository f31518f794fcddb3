/** What pods have on their node's disk, for who asks how much they use. */
import { messageOf, within } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import type { Pod, Volume } from '@binnacle/api/core/v1';
import type { KubeletConfig } from './config.ts';
import { allContainers } from './container/pod-containers.ts';
import { podLogDirectory } from './container/sandbox-config.ts';
import { NO_FILES, sumOfCounts } from './figures.ts';
import type { DiskCount, FilesystemUsage } from './figures.ts';
import type { HostFiles, Machine } from './ports.ts';
import type { MountedVolume } from './volume/driver.ts';
import type { VolumeFigures } from './volume/volume-figures.ts';
import type { MountedVolumes } from './volume/volumes.ts';

/** What one pod has there beside its containers' layers. */
export interface PodDisk {
  /** By container. */
  readonly logs: ReadonlyMap<string, DiskCount>;
  /** What goes with the pod: its volumes on the node's disk, its hosts file, its containers' last words. */
  readonly ephemeral: DiskCount;
  /** How full its volumes are that no driver tells of. */
  readonly volumes: readonly VolumeFigures[];
}

/** A pod with its volumes as they are mounted. */
export interface DiskPod {
  readonly pod: Pod;
  readonly volumes: MountedVolumes;
}

export interface DiskFiguresOptions {
  readonly files: Pick<HostFiles, 'count'>;
  readonly machine: Pick<Machine, 'filesystem'>;
  readonly config: KubeletConfig;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Figures are as old as this at the most, as upstream's are: a tenant's million files are not counted at each question. */
const FRESH_MS = 60_000;
/** Whoever asks does not wait longer, and is told what is known. */
const WAIT_MS = 2_000;

/** Counts when somebody asks, each pod by itself: one whose files take long, or a disk that does not answer, holds up no other. */
export class DiskFigures {
  readonly #of: DiskFiguresOptions;
  readonly #known = new Map<string, { readonly at: number; readonly disk: PodDisk }>();
  readonly #counting = new Map<string, Promise<void>>();

  constructor(options: DiskFiguresOptions) {
    this.#of = options;
  }

  /** By uid, of these pods; those that are not counted yet are missing. Never rejects. */
  async look(pods: readonly DiskPod[]): Promise<ReadonlyMap<string, PodDisk>> {
    const asked = new Map(pods.map((one) => [one.pod.metadata.uid ?? '', one]));
    for (const uid of this.#known.keys()) if (!asked.has(uid)) this.#known.delete(uid);
    const counted = Promise.all([...asked].map(([uid, one]) => this.#fresh(uid, one)));
    await within(counted, { clock: this.#of.clock, ms: WAIT_MS, background: true });
    return new Map([...this.#known].flatMap(([uid, { disk }]) => (asked.has(uid) ? [[uid, disk] as const] : [])));
  }

  async #fresh(uid: string, one: DiskPod): Promise<void> {
    const known = this.#known.get(uid);
    if (known !== undefined && this.#of.clock.monotonic() - known.at < FRESH_MS) return;
    const running = this.#counting.get(uid) ?? this.#count(uid, one).finally(() => this.#counting.delete(uid));
    this.#counting.set(uid, running);
    await running;
  }

  async #count(uid: string, one: DiskPod): Promise<void> {
    const { clock, log } = this.#of;
    try {
      const disk = await this.#diskOf(one);
      this.#known.set(uid, { at: clock.monotonic(), disk });
    } catch (error) {
      log.info(2, 'The files of a pod could not be counted', { uid, reason: messageOf(error) });
    }
  }

  async #diskOf({ pod, volumes }: DiskPod): Promise<PodDisk> {
    const { config } = this.#of;
    const logs = new Map<string, DiskCount>();
    for (const { name } of allContainers(pod))
      logs.set(name, await this.#of.files.count(`${podLogDirectory(pod, config)}/${name}`));
    const own = `${config.rootDirectory}/pods/${pod.metadata.uid ?? ''}`;
    const ephemeral = [await this.#of.files.count(`${own}/etc-hosts`), await this.#of.files.count(`${own}/containers`)];
    const figures: VolumeFigures[] = [];
    for (const volume of pod.spec.volumes ?? []) {
      const mounted = volumes.get(volume.name);
      // A driver tells of its own, and a device has no files.
      if (mounted === undefined || mounted.driverVolume !== undefined || mounted.isBlock === true) continue;
      const count = isOwn(volume) ? await this.#of.files.count(mounted.hostPath) : undefined;
      if (count !== undefined && isOnDisk(volume)) ephemeral.push(count);
      if (count !== undefined || mounted.claim !== undefined)
        figures.push(...(await this.#figuresOf(volume.name, mounted, count)));
    }
    return { logs, ephemeral: ephemeral.reduce(sumOfCounts, NO_FILES), volumes: figures };
  }

  /** Of a claim's folder, what its file system says of itself. */
  async #figuresOf(
    name: string,
    { hostPath, claim }: MountedVolume,
    count: DiskCount | undefined,
  ): Promise<VolumeFigures[]> {
    const found = await this.#of.machine.filesystem?.(hostPath);
    return found === undefined
      ? []
      : [{ name, ...(claim === undefined ? {} : { claim }), ...amounts(found.usage, count) }];
  }
}

/** It is made for the pod, in the pod's folder. */
function isOwn({ emptyDir, configMap, secret, downwardAPI, projected }: Volume): boolean {
  return [emptyDir, configMap, secret, downwardAPI, projected].some((source) => source !== undefined);
}

/** Not in memory. */
function isOnDisk({ emptyDir, secret, projected }: Volume): boolean {
  if (emptyDir !== undefined) return !emptyDir.medium;
  if (secret !== undefined) return false;
  return !projected?.sources?.some((one) => one.secret !== undefined || one.serviceAccountToken !== undefined);
}

function amounts(usage: FilesystemUsage, count: DiskCount | undefined): Pick<VolumeFigures, 'bytes' | 'inodes'> {
  return {
    bytes: { available: usage.availableBytes, total: usage.capacityBytes, used: count?.bytes ?? usage.usedBytes },
    inodes: { available: usage.inodesFree, total: usage.inodes, used: count?.inodes ?? usage.inodesUsed },
  };
}
