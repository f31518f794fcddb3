import type { EmptyDirVolumeSource, HostPathVolumeSource, Pod, Volume } from '@binnacle/api/core/v1';
import { wholeValue } from '../container/amount.ts';
import { VolumeError } from '../errors.ts';
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { HostFiles, PathKind, ReferenceHolder } from '../ports.ts';
import type { NodeAllocatable } from '../container/field-path.ts';
import type { ObjectReader } from '../ports.ts';
import { writePayload } from './atomic.ts';
import { volumePayload } from './payload.ts';

export interface MountedVolume {
  readonly hostPath: string;
  readonly readOnly: boolean;
}

/** By the volume's name. */
export type MountedVolumes = ReadonlyMap<string, MountedVolume>;

export interface VolumesOptions {
  readonly rootDirectory: string;
  /** Absent: nothing is put on disk (simulated nodes). */
  readonly files: HostFiles | undefined;
  readonly objects: ObjectReader | undefined;
  readonly allocatable: NodeAllocatable;
  readonly now: () => number;
  readonly log: Logger;
}

/** Where mounted parts of volumes are kept, in a pod's folder. */
export const SUB_PATHS = 'volume-subpaths';

interface Place {
  readonly pod: Pod;
  readonly volume: Volume;
  readonly path: string;
  readonly files: HostFiles;
  readonly holder: ReferenceHolder;
}

/** Makes a pod's volumes on the node, keeps their content fresh, and clears them away. */
export class Volumes {
  readonly #options: VolumesOptions;
  /** What was written last, by path, so that nothing is written for nothing. Emptied with the pod. */
  readonly #written = new Map<string, Map<string, string>>();

  constructor(options: VolumesOptions) {
    this.#options = options;
  }

  /**
   * Sets all of them up, or brings them up to date; may be called any number of times. Throws VolumeError for the
   * first that cannot be. `refreshAt` is when a token wants renewal, in milliseconds since the epoch.
   */
  async setUp(
    pod: Pod,
    holder: ReferenceHolder,
  ): Promise<{ readonly volumes: MountedVolumes; readonly refreshAt?: number }> {
    const volumes = new Map<string, MountedVolume>();
    let refreshAt = Infinity;
    for (const volume of pod.spec?.volumes ?? []) {
      const [plugin, readOnly] = pluginOf(volume);
      const path = volume.hostPath?.path ?? `${this.#directory(pod)}/volumes/kubernetes.io~${plugin}/${volume.name}`;
      if (this.#options.files !== undefined) {
        const place: Place = { pod, volume, path, files: this.#options.files, holder };
        refreshAt = Math.min(refreshAt, await this.#setUpOne(place));
      }
      volumes.set(volume.name, { hostPath: path, readOnly });
    }
    return refreshAt === Infinity ? { volumes } : { volumes, refreshAt };
  }

  async tearDown(podUid: string): Promise<void> {
    const { files, rootDirectory } = this.#options;
    this.#written.delete(podUid);
    if (files === undefined) return;
    const base = `${rootDirectory}/pods/${podUid}`;
    // Parts of volumes are mounted from them: those go first.
    for (const part of [SUB_PATHS, 'volumes']) await files.unmount(`${base}/${part}`);
    await files.remove(`${base}/${SUB_PATHS}`);
  }

  #directory(pod: Pod): string {
    return `${this.#options.rootDirectory}/pods/${pod.metadata.uid ?? ''}`;
  }

  async #setUpOne(place: Place): Promise<number> {
    const { pod, volume, path, files } = place;
    try {
      if (volume.hostPath !== undefined) {
        await checkHostPath(files, volume.hostPath);
        return Infinity;
      }
      const group = pod.spec?.securityContext?.fsGroup;
      const refreshAt =
        volume.emptyDir === undefined
          ? await this.#writeContent(place)
          : await makeEmptyDir(files, path, volume.emptyDir);
      if (group !== undefined) await files.changeGroup(path, { gid: group, readOnly: volume.emptyDir === undefined });
      return refreshAt;
    } catch (error) {
      const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${messageOf(error)}`;
      throw new VolumeError(volume.name, message, error);
    }
  }

  async #writeContent(place: Place): Promise<number> {
    const { pod, volume, path, files, holder } = place;
    const { objects, allocatable, now } = this.#options;
    const payload = await volumePayload({ pod, volume, holder, objects, node: allocatable, now: now() });
    const uid = pod.metadata.uid ?? '';
    const written = this.#written.get(uid) ?? new Map<string, string>();
    this.#written.set(uid, written);
    const print = fingerprint(payload.files);
    if (written.get(path) !== print) {
      if (holdsSecrets(volume)) {
        await files.makeDirectory(path, 0o755);
        await files.mountTmpfs(path, 0);
      }
      await writePayload(files, path, { entries: payload.files, stamp: now() });
      written.set(path, print);
    }
    return payload.refreshAt;
  }
}

function pluginOf(volume: Volume): [string, boolean] {
  if (volume.emptyDir !== undefined) return ['empty-dir', false];
  if (volume.configMap !== undefined) return ['configmap', true];
  if (volume.secret !== undefined) return ['secret', true];
  if (volume.downwardAPI !== undefined) return ['downward-api', true];
  if (volume.projected !== undefined) return ['projected', true];
  return ['host-path', false];
}

/** Secrets and tokens are kept in memory, never on disk. */
function holdsSecrets(volume: Volume): boolean {
  return (
    volume.secret !== undefined ||
    volume.projected?.sources?.some((s) => s.secret !== undefined || s.serviceAccountToken !== undefined) === true
  );
}

async function makeEmptyDir(files: HostFiles, path: string, source: EmptyDirVolumeSource): Promise<number> {
  await files.makeDirectory(path, 0o777);
  if (source.medium === 'Memory') await files.mountTmpfs(path, wholeValue(source.sizeLimit));
  return Infinity;
}

const WANTED: { readonly [type: string]: readonly [PathKind, string] } = {
  Directory: ['directory', 'a directory'],
  File: ['file', 'a file'],
  Socket: ['socket', 'a socket'],
  CharDevice: ['charDevice', 'a character device'],
  BlockDevice: ['blockDevice', 'a block device'],
};

/** Checks, or makes, what a hostPath's type asks for. Throws VolumeError. */
async function checkHostPath(files: HostFiles, source: HostPathVolumeSource): Promise<void> {
  const type = source.type ?? '';
  if (type === '') return;
  const kind = await files.kind(source.path);
  if (kind === 'absent' && type === 'DirectoryOrCreate') return files.makeDirectory(source.path, 0o755);
  if (kind === 'absent' && type === 'FileOrCreate') return files.writeFile(source.path, new Uint8Array());
  const [wanted, text] = WANTED[type.replace('OrCreate', '')] ?? ['absent', type];
  if (kind !== wanted) throw new VolumeError(source.path, `hostPath type check failed: ${source.path} is not ${text}`);
}

function fingerprint(entries: ReadonlyMap<string, { readonly content: Uint8Array; readonly mode: number }>): string {
  const decoder = new TextDecoder('latin1');
  return JSON.stringify([...entries].map(([path, e]) => [path, e.mode, decoder.decode(e.content)]));
}
