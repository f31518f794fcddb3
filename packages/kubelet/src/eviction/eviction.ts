import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { ContainerStats, ContainerStatus, Runtime } from '@binnacle/runtime';
import type { KubeletConfig } from '../config.ts';
import { podLogDirectory } from '../container/sandbox-config.ts';
import type { HostFiles, Machine, NodePressure } from '../ports.ts';
import type { ImageGarbage } from '../image/garbage.ts';
import type { DiskLayout, NodeDisks } from '../node-disks.ts';
import {
  type LocalPlaces,
  hasLocalLimits,
  limitsContainers,
  localStorageFault,
  localUsage,
  usedIn,
} from './local-storage.ts';
import { CALM, type PressureLook, lookAtPressure } from './pressure.ts';
import {
  type Candidate,
  evictionMessage,
  evictionOrder,
  freesImages,
  freesLayers,
  localParts,
  scarceResource,
} from './ranking.ts';
import {
  type Signal,
  type Threshold,
  namesLayers,
  readThresholds,
  suppliesOf,
  withLayers,
  withPodsMemory,
} from './thresholds.ts';

/** A pod that can be told to go. */
export interface EvictablePod {
  readonly pod: Pod;
  readonly state: string;
  readonly view: { readonly containers: readonly ContainerStatus[] };
  /** Its containers are gone and its volumes are off the node: what it took is free. */
  readonly isCleared: boolean;
  evict(message: string, graceSeconds?: number): void;
  /** Removes what is dead of it from the runtime. Answers how many containers went; never rejects. */
  discardDead(): Promise<number>;
}

export interface EvictionOptions {
  readonly config: KubeletConfig;
  readonly machine: Pick<Machine, 'usage' | 'memoryBytes' | 'pressure' | 'groupUsage'>;
  readonly runtime: Pick<Runtime, 'stats'>;
  readonly disks: Pick<NodeDisks, 'look'>;
  /** People are told, by an event of the node. */
  readonly warn: (reason: string, message: string) => void;
  readonly files: HostFiles;
  readonly images: Pick<ImageGarbage, 'freeAll'>;
  readonly pods: () => readonly EvictablePod[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** More than a pod can have on the disk of a node: one that hides what it has, too deep to be counted, has more than that. */
const ENOUGH = 2 ** 50;

/** So long pods that had to go are waited for before the next one has to. */
const CLEANUP_WAIT_MS = 30_000;

const NO_PRESSURE: NodePressure = { memory: false, disk: false, pid: false };

/**
 * Sees to it that the node keeps enough of what it cannot do without. One look: pods that are over their own limits go;
 * where the node has too little, what nobody uses is thrown away; where that is not enough, one pod goes.
 */
export class Eviction {
  readonly #options: EvictionOptions;
  readonly #thresholds: readonly Threshold[];
  /** With those of layers: as long as all lies where it lay these are the very same, which the history goes by. */
  readonly #byLayout = new Map<DiskLayout, readonly Threshold[]>();
  #layout: DiskLayout = 'one';
  #history = CALM;
  #pressure: NodePressure = NO_PRESSURE;
  /** The pods that had to go last. */
  #last: { readonly uids: ReadonlySet<string>; readonly at: number } = { uids: new Set(), at: 0 };

  /** Throws KubeletConfigError for thresholds that cannot be read. */
  constructor(options: EvictionOptions) {
    this.#options = options;
    const { evictionHard, evictionSoft, evictionSoftGraceMs, evictionMinimumReclaim } = options.config;
    const read = readThresholds({
      hard: evictionHard,
      soft: evictionSoft,
      softGraceMs: evictionSoftGraceMs,
      minimumReclaim: evictionMinimumReclaim,
    });
    // As upstream: who is held to nothing has no limit to come near.
    this.#thresholds = options.config.holdsPods ? withPodsMemory(read) : read;
    if (namesLayers(this.#thresholds))
      options.log.warn('Eviction manager: thresholds of containerfs are not heeded: they follow what layers lie with');
  }

  /** What presses, as of the last look. */
  get pressure(): NodePressure {
    return this.#pressure;
  }

  /** One look. Never rejects: what fails is told, and looked at again the next time. */
  async check(): Promise<void> {
    try {
      const look = await this.#look();
      if (await this.#checkLimits()) return;
      const [first] = look?.due ?? [];
      if (first !== undefined) await this.#relieve(first.threshold);
    } catch (error) {
      this.#options.log.error(error, 'Eviction manager: failed to look at the node', { reason: messageOf(error) });
    }
  }

  async #look(): Promise<PressureLook | undefined> {
    const { machine, clock, config, log, disks } = this.#options;
    const usage = await machine.usage?.();
    if (usage === undefined) {
      this.#pressure = (await machine.pressure?.()) ?? NO_PRESSURE;
      return undefined;
    }
    const [now, pods] = await Promise.all([disks.look(usage), machine.groupUsage?.(config.cgroupRoot)]);
    this.#layout = now.layout;
    const look = lookAtPressure(this.#history, this.#thresholdsOf(now.layout), {
      supplies: suppliesOf(usage, { memoryBytes: machine.memoryBytes, disks: now, pods: pods?.memory }),
      nowMs: clock.monotonic(),
      transitionMs: config.evictionPressureTransitionMs,
    });
    for (const { threshold, supply } of look.due)
      log.info(0, 'Eviction manager: a threshold is crossed', { signal: threshold.signal, ...supply });
    this.#history = look.history;
    this.#pressure = look.pressure;
    return look;
  }

  #thresholdsOf(layout: DiskLayout): readonly Threshold[] {
    const thresholds = this.#byLayout.get(layout) ?? withLayers(this.#thresholds, layout);
    this.#byLayout.set(layout, thresholds);
    return thresholds;
  }

  /** Pods over their own limits. Answers whether one had to go. */
  async #checkLimits(): Promise<boolean> {
    const { config } = this.#options;
    const pods = this.#running().filter(({ pod }) => hasLocalLimits(pod, config.rootDirectory));
    const stats = pods.some(({ pod }) => limitsContainers(pod))
      ? await this.#stats()
      : new Map<string, ContainerStats>();
    const gone = new Set<string>();
    for (const one of pods) {
      const message = await this.#faultOf(one, stats);
      if (message === undefined) continue;
      gone.add(one.pod.metadata.uid ?? '');
      this.#await(gone);
      one.evict(message);
    }
    return gone.size > 0;
  }

  /** A pod that cannot be looked at keeps nobody else in, nor the node from making room. */
  async #faultOf(one: EvictablePod, stats: ReadonlyMap<string, ContainerStats>): Promise<string | undefined> {
    try {
      return await localStorageFault(one.pod, this.#places(one, stats));
    } catch (error) {
      this.#options.log.error(error, 'Eviction manager: failed to look at a pod', { uid: one.pod.metadata.uid });
      return undefined;
    }
  }

  async #relieve(threshold: Threshold): Promise<void> {
    const { config, pods, log, warn } = this.#options;
    const resource = scarceResource(threshold.signal);
    warn('EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    if (await this.#freesUnused(threshold.signal)) {
      const still = (await this.#look())?.due.some((one) => one.threshold === threshold);
      if (still !== true) return;
    }
    if (this.#isAwaited()) return;
    const look = await this.#look();
    const due = look?.due.find((one) => one.threshold === threshold);
    if (due === undefined) return;
    const [first] = evictionOrder(await this.#candidates(threshold.signal), resource);
    if (first === undefined) {
      log.warn('Eviction manager: no pods are left to evict', { signal: threshold.signal });
      return;
    }
    const grace = threshold.graceMs === 0 ? 1 : Math.max(1, config.evictionMaxPodGraceSeconds);
    const message = evictionMessage(first, threshold, due.supply);
    const { uid = '' } = first.pod.metadata;
    this.#await(new Set([uid]));
    pods()
      .find(({ pod }) => pod.metadata.uid === uid)
      ?.evict(message, grace);
  }

  /** Throws away what nobody uses: dead containers, then images, which dead ones may have held. Answers whether anything went. */
  async #freesUnused(signal: Signal): Promise<boolean> {
    let gone = 0;
    if (freesLayers(signal, this.#layout)) for (const pod of this.#options.pods()) gone += await pod.discardDead();
    const bytes = freesImages(signal, this.#layout) ? await this.#freeImages() : 0;
    return gone > 0 || bytes > 0;
  }

  /** Answers with the bytes that were freed: none where it fails, and pods have to go. */
  async #freeImages(): Promise<number> {
    try {
      return await this.#options.images.freeAll();
    } catch (error) {
      this.#options.log.error(error, 'Eviction manager: failed to free images', { reason: messageOf(error) });
      return 0;
    }
  }

  #await(uids: ReadonlySet<string>): void {
    this.#last = { uids, at: this.#options.clock.monotonic() };
  }

  /** One at a time: what the last one gives back is not free before its volumes are gone, too. Who does not go is not waited for. */
  #isAwaited(): boolean {
    const { uids, at } = this.#last;
    if (uids.size === 0 || this.#options.clock.monotonic() - at >= CLEANUP_WAIT_MS) return false;
    return this.#options.pods().some(({ pod, isCleared }) => uids.has(pod.metadata.uid ?? '') && !isCleared);
  }

  async #candidates(signal: Signal): Promise<readonly Candidate[]> {
    const resource = scarceResource(signal);
    const isDisk = resource === 'ephemeral-storage' || resource === 'inodes';
    const stats = resource === 'pids' ? new Map<string, ContainerStats>() : await this.#stats();
    const all: Candidate[] = [];
    for (const one of this.#running()) all.push(isDisk ? await this.#onDisk(one, stats, signal) : inMemory(one, stats));
    return all;
  }

  async #onDisk(one: EvictablePod, stats: ReadonlyMap<string, ContainerStats>, signal: Signal): Promise<Candidate> {
    const unit = scarceResource(signal) === 'inodes' ? 'inodes' : 'bytes';
    const usage = await localUsage(one.pod, this.#places(one, stats, unit), ENOUGH);
    const used = usedIn(usage, localParts(signal, this.#layout));
    return { pod: one.pod, used, containers: usage.containers };
  }

  #places(
    { pod, view }: EvictablePod,
    stats: ReadonlyMap<string, ContainerStats>,
    unit: LocalPlaces['unit'] = 'bytes',
  ): LocalPlaces {
    const { config, files } = this.#options;
    const layers = new Map<string, number>();
    for (const { id, name } of view.containers)
      layers.set(name, (layers.get(name) ?? 0) + layerOf(stats.get(id), unit));
    const hasOwnLayers = this.#layout !== 'one';
    const { rootDirectory } = config;
    return { unit, files, rootDirectory, logDirectory: podLogDirectory(pod, config), layers, hasOwnLayers };
  }

  #running(): readonly EvictablePod[] {
    return this.#options.pods().filter(({ state }) => state === 'syncing');
  }

  async #stats(): Promise<ReadonlyMap<string, ContainerStats>> {
    return new Map((await this.#options.runtime.stats()).map((one) => [one.id, one]));
  }
}

function inMemory({ pod, view }: EvictablePod, stats: ReadonlyMap<string, ContainerStats>): Candidate {
  const running = view.containers.filter(({ state }) => state === 'running');
  const containers = new Map(running.map(({ id, name }) => [name, stats.get(id)?.memoryWorkingSetBytes ?? 0]));
  return { pod, used: [...containers.values()].reduce((sum, bytes) => sum + bytes, 0), containers };
}

/** What a container wrote into its own file system. */
function layerOf(stats: ContainerStats | undefined, unit: LocalPlaces['unit']): number {
  return (unit === 'inodes' ? stats?.filesystem?.inodesUsed : stats?.filesystem?.usedBytes) ?? 0;
}
