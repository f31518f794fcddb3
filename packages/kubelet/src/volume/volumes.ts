import { type Clock, messageOf } from '@binnacle/base';
import type { Pod, Volume } from '@binnacle/api/core/v1';
import type { NodeAllocatable } from '../registration/allocatable.ts';
import type { CsiVolumes } from '../csi/csi-volumes.ts';
import { allContainers } from '../container/pod-containers.ts';
import { NotWanted, VolumeError, VolumeUnprocessed, VolumeWait } from '../errors.ts';
import type { HostFiles, ObjectReader, ReferenceHolder } from '../ports.ts';
import type { MountedVolume, OrInterrupted, VolumeCall, VolumeDriver, VolumeImages } from './driver.ts';
import { IMAGE_PLUGIN } from './drivers/image.ts';
import { driverFor } from './drivers/registry.ts';
import { MountRetries } from './mount-retries.ts';
import { VolumeFailures } from './volume-failures.ts';

/** By the volume's name. */
export type MountedVolumes = ReadonlyMap<string, MountedVolume>;

export interface VolumesOptions {
  readonly rootDirectory: string;
  /** Absent: nothing is put on disk (simulated nodes). */
  readonly files: HostFiles | undefined;
  readonly objects: ObjectReader | undefined;
  readonly images: VolumeImages;
  /** Absent: this node has no plugins. */
  readonly csi: CsiVolumes | undefined;
  readonly allocatable: NodeAllocatable;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

/** Who has volumes set up. */
export interface VolumesCall {
  readonly holder: ReferenceHolder;
  readonly orInterrupted: OrInterrupted;
  /** What they are made from may have changed: those that failed do not wait any longer. */
  readonly isNew: boolean;
  /** The pod has had all of them. */
  readonly hadBefore: boolean;
}

/** Where mounted parts of volumes are kept, in a pod's folder. */
export const SUB_PATHS = 'volume-subpaths';

/** Makes a pod's volumes on the node by their drivers, keeps their content fresh, and clears them away. */
export class Volumes {
  readonly #options: VolumesOptions;
  /** What drivers remember, by pod and volume. Emptied with the pod. */
  readonly #memories = new Map<string, Map<string, Map<string, string>>>();

  readonly #retries = new MountRetries();

  constructor(options: VolumesOptions) {
    this.#options = options;
  }

  /**
   * Sets up all that containers use, or brings them up to date; may be called any number of times. Throws VolumesError for
   * those that cannot be, VolumeWait where others only wait, NotWanted where `orInterrupted` does. `refreshAt` is when a token
   * wants renewal, in milliseconds since the epoch.
   */
  async setUp(pod: Pod, call: VolumesCall): Promise<{ readonly volumes: MountedVolumes; readonly refreshAt?: number }> {
    const volumes = new Map<string, MountedVolume>();
    const failures = new VolumeFailures();
    const used = usedVolumes(pod);
    let refreshAt = Infinity;
    for (const volume of used) {
      const held = call.isNew ? undefined : this.#held(pod, volume);
      if (held !== undefined) {
        failures.mount(held.error, { retryMs: held.waitMs, isTold: false });
        continue;
      }
      try {
        const mounted = await this.#setUpOne(pod, volume, call);
        refreshAt = Math.min(refreshAt, mounted.refreshAt ?? Infinity);
        volumes.set(volume.name, mounted);
        this.#retries.mended(pod.metadata.uid ?? '', volume.name);
      } catch (error) {
        // Whoever looks is told of every volume that is in the way, not of one after the other.
        if (error instanceof VolumeWait || error instanceof VolumeUnprocessed) failures.others(volume.name, error);
        else if (error instanceof VolumeError) failures.mount(error, this.#failed(pod, volume, error));
        else throw error;
      }
    }
    failures.raise(call.hadBefore ? [] : used.map(({ name }) => name).filter((name) => !volumes.has(name)));
    return refreshAt === Infinity ? { volumes } : { volumes, refreshAt };
  }

  /** Why a volume failed, where it is not time to try it again. */
  #held({ metadata: { uid = '' } }: Pod, { name }: Volume): { error: VolumeError; waitMs: number } | undefined {
    const waitMs = this.#retries.waits(uid, name, this.#options.clock.monotonic());
    const error = waitMs === 0 ? undefined : this.#retries.last(uid, name);
    return error === undefined ? undefined : { error, waitMs };
  }

  #failed({ metadata: { uid = '' } }: Pod, { name }: Volume, error: VolumeError): { retryMs: number; isTold: boolean } {
    const now = this.#options.clock.monotonic();
    const isTold = this.#retries.failed(uid, name, { error, now });
    return { isTold, retryMs: this.#retries.waits(uid, name, now) };
  }

  /** Takes them off the node, with all that was kept for the pod's life alone. May be called any number of times. */
  async tearDown(podUid: string): Promise<void> {
    const { files, rootDirectory } = this.#options;
    this.#memories.delete(podUid);
    this.#retries.forget(podUid);
    if (files === undefined) return;
    const base = `${rootDirectory}/pods/${podUid}`;
    // Parts of volumes are mounted from them: those go first.
    await files.unmount(`${base}/${SUB_PATHS}`);
    await this.#options.csi?.tearDownPod(podUid);
    await this.#releaseImages(files, `${base}/volumes/kubernetes.io~${IMAGE_PLUGIN}`);
    await files.unmount(`${base}/volumes`);
    await files.remove(`${base}/${SUB_PATHS}`);
    // What an ended pod kept there is nobody's, however long its object stays. What is mounted still is not entered.
    await files.remove(`${base}/volumes`);
  }

  /** The runtime keeps something for each image that it has mounted. */
  async #releaseImages(files: HostFiles, folder: string): Promise<void> {
    const { mounts } = this.#options.images;
    if (mounts === undefined) return;
    for (const name of await files.list(folder)) await mounts.unmount(`${folder}/${name}`);
  }

  async #setUpOne(pod: Pod, volume: Volume, by: Pick<VolumeCall, 'holder' | 'orInterrupted'>): Promise<MountedVolume> {
    const driver = driverFor(volume);
    const { files, objects, images, csi, allocatable, clock, rootDirectory } = this.#options;
    const uid = pod.metadata.uid ?? '';
    try {
      if (driver === undefined) throw new VolumeError(volume.name, 'no volume plugin matched');
      return await driver.setUp({
        pod,
        volume,
        directory: `${rootDirectory}/pods/${uid}/volumes/${folderOf(driver)}/${volume.name}`,
        files,
        objects,
        images,
        csi,
        holder: by.holder,
        orInterrupted: by.orInterrupted,
        node: allocatable,
        now: clock.now(),
        memory: this.#memory(uid, volume.name),
      });
    } catch (error) {
      if (error instanceof VolumeWait || error instanceof VolumeUnprocessed || error instanceof NotWanted) throw error;
      const operation = (error instanceof VolumeError ? error.operation : undefined) ?? 'MountVolume.SetUp';
      const message = `${operation} failed for volume "${volume.name}" : ${messageOf(error)}`;
      throw new VolumeError(volume.name, message, { cause: error });
    }
  }

  #memory(uid: string, volume: string): Map<string, string> {
    const ofPod = this.#memories.get(uid) ?? new Map<string, Map<string, string>>();
    const memory = ofPod.get(volume) ?? new Map<string, string>();
    // Thousands of simulated pods live in one process and remember nothing.
    if (this.#options.files !== undefined) this.#memories.set(uid, ofPod.set(volume, memory));
    return memory;
  }
}

/** As upstream: what no container has, or reads its variables from, is in nobody's way. */
function usedVolumes(pod: Pod): readonly Volume[] {
  const used = new Set<string>();
  for (const { volumeMounts = [], volumeDevices = [], env = [] } of allContainers(pod)) {
    for (const { name } of [...volumeMounts, ...volumeDevices]) used.add(name);
    for (const { valueFrom } of env) if (valueFrom?.fileKeyRef !== undefined) used.add(valueFrom.fileKeyRef.volumeName);
  }
  return (pod.spec.volumes ?? []).filter(({ name }) => used.has(name));
}

function folderOf(driver: VolumeDriver): string {
  return `kubernetes.io~${driver.plugin}`;
}
