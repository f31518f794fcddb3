/**
 * A volume's way onto the node and off it again:
 *
 *   ── used by a pod ──► told to be in use ──► attached ──► staged ──► published ──► given to the group
 *   ── the pod is gone ──► unpublished ──► (nobody else has it) unstaged ──► told to be in use no more
 *
 * Each step is written down before it is done (csi-records.ts), and may be done any number of times: that is the drivers'
 * contract. Steps of one volume are done one at a time.
 */
import { type Logger, messageOf, SerialQueue } from '@binnacle/base';
import { csiVolumeName } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { CSIDriver } from '@binnacle/api/storage/v1';
import { VolumeError } from '../errors.ts';
import type { HostFiles, ObjectReader, ReferenceHolder } from '../ports.ts';
import type { CsiAttachments } from './attachments.ts';
import type { CsiAccess, CsiClient, CsiVolumeStats } from './csi-client.ts';
import type { CsiDrivers } from './csi-drivers.ts';
import {
  type CsiVolume,
  type Texts,
  accessTo,
  checkLifecycle,
  planGroup,
  podInfo,
  podTokens,
  secretTexts,
} from './csi-context.ts';
import type { CsiKey, CsiRecords, PodRecord, StageRecord } from './csi-records.ts';

export interface CsiVolumesOptions {
  readonly nodeName: string;
  readonly files: HostFiles;
  readonly records: CsiRecords;
  readonly drivers: Pick<CsiDrivers, 'need'>;
  readonly objects: ObjectReader | undefined;
  readonly attachments: CsiAttachments;
  readonly now: () => number;
  readonly log: Logger;
}

/** A pod's volume, where its containers find it. */
export interface CsiMounted {
  readonly path: string;
  /** When the driver wants to be asked again, milliseconds since the epoch. */
  readonly refreshAt?: number;
}

/** What one setting up works on. */
interface SetUp {
  readonly pod: Pod;
  readonly holder: ReferenceHolder;
  /** What the same call left last time. */
  readonly memory: Map<string, string>;
}

/** One that is on the node, or on its way. */
interface Held extends CsiKey {
  /** Pods that have it: their records' folders. */
  readonly users: Set<string>;
  stage: StageRecord | undefined;
  readonly lock: SerialQueue;
}

const PUBLISHED = 'published';
/** Upstream's kubelet looks at each pod about so often. */
const REPUBLISH_MS = 60_000;

export class CsiVolumes {
  readonly #of: CsiVolumesOptions;
  readonly #held = new Map<string, Held>();
  #recalled: Promise<void> | undefined;

  constructor(options: CsiVolumesOptions) {
    this.#of = options;
  }

  /** Brings a volume to a pod, or what its driver wants to be told anew. Throws VolumeError, PluginError. */
  async setUp(volume: CsiVolume, of: SetUp): Promise<CsiMounted> {
    await this.#recall();
    const { drivers, records } = this.#of;
    const client = drivers.need(volume.driver);
    const driver = await this.#objects.csiDriver(volume.driver);
    checkLifecycle(driver, volume);
    const record = recordOf(volume, of.pod);
    const held = this.#hold(volume);
    held.users.add(records.folder(record));
    const publishContext = await this.#attach(volume, driver, of);
    return held.lock.run(() => this.#bring({ volume, record, held, client, driver, publishContext }, of));
  }

  /** Takes away what a pod had. Throws VolumeError, PluginError: to be tried again. */
  async tearDownPod(podUid: string): Promise<void> {
    await this.#recall();
    for (const record of await this.#of.records.ofPod(podUid)) await this.#takeAway(record);
    // Volumes that were never brought: their pod went while they were waited for.
    for (const held of this.#held.values()) {
      const folders = [...held.users].filter((folder) => folder.includes(`/pods/${podUid}/`));
      for (const folder of folders) held.users.delete(folder);
      if (folders.length > 0) await held.lock.run(() => this.#letGo(held));
    }
  }

  /** Unstages what no pod has: left from before a crash. What fails is tried again when its driver comes. */
  async clearStages(driver: string): Promise<void> {
    await this.#recall();
    for (const held of this.#held.values()) {
      if (held.driver !== driver || held.users.size > 0) continue;
      try {
        await held.lock.run(() => this.#letGo(held));
      } catch (error) {
        this.#of.log.warn('A volume that nobody uses stays staged', { ...keyOf(held), reason: messageOf(error) });
      }
    }
  }

  /** How full a pod's volume is, as its driver says; undefined: it does not. */
  async stats(podUid: string, name: string): Promise<CsiVolumeStats | undefined> {
    const { records, drivers } = this.#of;
    const record = (await records.ofPod(podUid)).find((one) => one.name === name);
    if (record === undefined || record.isBlock) return undefined;
    const client = drivers.need(record.driver);
    if (!(await client.can('GET_VOLUME_STATS'))) return undefined;
    return client.stats(record.handle, records.target(record));
  }

  get #objects(): ObjectReader {
    const { objects } = this.#of;
    if (objects === undefined) throw new VolumeError('', 'no API server to ask for CSI drivers');
    return objects;
  }

  /** Volumes that others attach: used from here on, and waited for. */
  async #attach(volume: CsiVolume, driver: CSIDriver | undefined, of: SetUp): Promise<Texts> {
    if (volume.lifecycle === 'Ephemeral' || driver?.spec.attachRequired === false) return {};
    return this.#of.attachments.require(volume, { objects: this.#objects, holder: of.holder });
  }

  async #bring(at: Bringing, of: SetUp): Promise<CsiMounted> {
    const { volume, record, held, client, driver } = at;
    const path = this.#of.records.target(record);
    const republish = driver?.spec.requiresRepublish === true;
    const refresh = republish || volume.growth !== undefined || volume.lifecycle === 'Persistent';
    const mounted = { path, ...(refresh ? { refreshAt: this.#of.now() + REPUBLISH_MS } : {}) };
    if (of.memory.has(PUBLISHED) && !republish) {
      if (volume.growth !== undefined) await this.#grow(at, await accessTo(client, volume, {}));
      return mounted;
    }
    const group = planGroup(driver, volume, { pod: of.pod, delegates: await client.can('VOLUME_MOUNT_GROUP') });
    const access = await accessTo(client, volume, group);
    if (volume.lifecycle === 'Persistent' && (await client.can('STAGE_UNSTAGE_VOLUME'))) await this.#stage(at, access);
    await this.#publish({ ...at, stagingPath: held.stage?.stagingPath ?? '' }, access, of);
    if (volume.growth !== undefined) await this.#grow(at, access);
    if (group.byKubelet !== undefined && !of.memory.has(PUBLISHED))
      await this.#giveToGroup(path, group.byKubelet, of.pod);
    of.memory.set(PUBLISHED, '');
    return mounted;
  }

  async #stage({ volume, held, client, publishContext }: Bringing, access: CsiAccess): Promise<void> {
    const { records, files } = this.#of;
    const stage = records.stage(volume, volume);
    await records.saveStage(stage);
    held.stage = stage;
    await files.makeDirectory(stage.stagingPath, 0o750);
    try {
      await client.stage({
        handle: volume.handle,
        stagingPath: stage.stagingPath,
        access,
        publishContext,
        attributes: volume.attributes,
        secrets: await secretTexts(this.#objects, volume.secrets.stage),
      });
    } catch (error) {
      throw new VolumeError(volume.name, messageOf(error), { cause: error, operation: 'MountVolume.MountDevice' });
    }
  }

  async #publish(at: Bringing & { readonly stagingPath: string }, access: CsiAccess, of: SetUp): Promise<void> {
    const { volume, record, client, driver, publishContext, stagingPath } = at;
    const { records, files, nodeName } = this.#of;
    const { texts: tokens } = await podTokens(driver, of.pod, this.#objects);
    const secrets = await secretTexts(this.#objects, volume.secrets.publish);
    const inSecrets = driver?.spec.serviceAccountTokenInSecrets === true;
    await records.savePod(record, nodeName);
    const targetPath = records.target(record);
    // The driver makes the last step itself.
    await files.makeDirectory(targetPath.slice(0, targetPath.lastIndexOf('/')), 0o750);
    await client.publish({
      handle: volume.handle,
      stagingPath,
      targetPath,
      access,
      readOnly: volume.readOnly,
      publishContext,
      attributes: { ...volume.attributes, ...podInfo(driver, of.pod, volume.lifecycle), ...(inSecrets ? {} : tokens) },
      secrets: { ...secrets, ...(inSecrets ? tokens : {}) },
    });
  }

  async #grow({ volume, record, held, client }: Bringing, access: CsiAccess): Promise<void> {
    const { growth } = volume;
    if (growth === undefined || volume.readOnly) return;
    if (await client.can('EXPAND_VOLUME')) {
      await client.expand({
        handle: volume.handle,
        path: this.#of.records.target(record),
        stagingPath: held.stage?.stagingPath ?? '',
        bytes: growth.bytes,
        access,
        secrets: await secretTexts(this.#objects, volume.secrets.expand),
      });
    }
    await growth.done();
  }

  async #giveToGroup(path: string, gid: number, pod: Pod): Promise<void> {
    const onMismatch = pod.spec.securityContext?.fsGroupChangePolicy === 'OnRootMismatch';
    await this.#of.files.changeGroup(path, { gid, readOnly: false, onMismatch });
  }

  async #takeAway(record: PodRecord): Promise<void> {
    const { records, drivers } = this.#of;
    // A folder without a record: nothing was asked of a driver yet.
    if (record.driver === '') return records.removePod(record);
    const held = this.#hold(record);
    await held.lock.run(async () => {
      await drivers.need(record.driver).unpublish(record.handle, records.target(record));
      await records.removePod(record);
      held.users.delete(records.folder(record));
      await this.#letGo(held);
    });
  }

  /** Under its lock. */
  async #letGo(held: Held): Promise<void> {
    if (held.users.size > 0) return;
    const { drivers, records, attachments } = this.#of;
    const { stage } = held;
    if (stage !== undefined) {
      await drivers.need(held.driver).unstage(held.handle, stage.stagingPath);
      await records.removeStage(stage);
      held.stage = undefined;
    }
    // Another pod may have asked for it meanwhile, and waits for the lock.
    if (held.users.size > 0) return;
    this.#held.delete(csiVolumeName(held));
    attachments.release(held);
  }

  #hold(key: CsiKey): Held {
    const name = csiVolumeName(key);
    let held = this.#held.get(name);
    if (held === undefined) {
      held = { driver: key.driver, handle: key.handle, users: new Set(), stage: undefined, lock: new SerialQueue() };
      this.#held.set(name, held);
    }
    return held;
  }

  /** Once: what an earlier kubelet wrote down. */
  #recall(): Promise<void> {
    return (this.#recalled ??= this.#recallAll().catch((error: unknown) => {
      this.#recalled = undefined;
      throw error;
    }));
  }

  async #recallAll(): Promise<void> {
    const { records, attachments } = this.#of;
    for (const record of await records.ofAllPods()) {
      if (record.driver === '') continue;
      this.#hold(record).users.add(records.folder(record));
      // Whether others attach it is not on disk: too many in use keep a volume attached, too few would take it away.
      if (record.lifecycle === 'Persistent') attachments.recall(record);
    }
    for (const stage of await records.stages()) {
      this.#hold(stage).stage = stage;
      attachments.recall(stage);
    }
  }
}

interface Bringing {
  readonly volume: CsiVolume;
  readonly record: PodRecord;
  readonly held: Held;
  readonly client: CsiClient;
  readonly driver: CSIDriver | undefined;
  readonly publishContext: Texts;
}

function recordOf({ driver, handle, name, lifecycle, isBlock }: CsiVolume, pod: Pod): PodRecord {
  return { driver, handle, name, lifecycle, isBlock, podUid: pod.metadata.uid ?? '' };
}

function keyOf({ driver, handle }: CsiKey): CsiKey {
  return { driver, handle };
}
