/** What kubelets of this node wrote down of their pulls, in upstream's files: `image_manager/{pulling,pulled}/sha256-…`. */
import { digest } from '../digest.ts';
import type { HostFiles } from '../ports.ts';
import { isListOf, isTableOf, isText, readWritten, writeDown } from '../written-down.ts';

/** A secret whose credentials got an image. */
export interface PullSecret {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** SHA-256 of what stood in it for the image's registry. */
  readonly credentialHash: string;
}

/** Who has shown that they may have an image from one repository. */
export interface ImageReaders {
  readonly kubernetesSecrets?: readonly PullSecret[];
  /** Written by other kubelets: ours asks no provider as somebody's account. */
  readonly kubernetesServiceAccounts?: readonly Omit<PullSecret, 'credentialHash'>[];
  /** Every pod of the node: it was had as nobody, or as the node itself. */
  readonly nodePodsAccessible?: boolean;
}

/** An image on the node that was pulled, by whom from which repository. */
export interface PulledRecord {
  readonly lastUpdatedTime: string;
  /** As the runtime names the image: `ImageStatus.id`. */
  readonly imageRef: string;
  readonly credentialMapping?: { readonly [repository: string]: ImageReaders };
}

const VERSIONS: readonly unknown[] = ['kubelet.config.k8s.io/v1beta1', 'kubelet.config.k8s.io/v1alpha1'];
/** A longer one is not read, nor written. */
const RECORD_BYTES_MAX = 1 << 20;
const NAME = /^sha256-[0-9a-f]{64}$/;

/** What is found of one: nothing, something that nobody can read, or what it says. */
export type Found<T> = 'none' | 'unreadable' | T;

/** The files. What is written is there after a power cut, too: an image without its record would be everybody's. */
export class PullRecords {
  readonly #files: HostFiles;
  readonly #pulling: string;
  readonly #pulled: string;

  /** `root`: the kubelet's folder. */
  constructor(files: HostFiles, root: string) {
    this.#files = files;
    this.#pulling = `${root}/image_manager/pulling`;
    this.#pulled = `${root}/image_manager/pulled`;
  }

  async hasIntent(image: string): Promise<boolean> {
    return (await this.#files.kind(`${this.#pulling}/${fileOf(image)}`)) !== 'absent';
  }

  async writeIntent(image: string): Promise<void> {
    await this.#write(this.#pulling, { key: image, value: { kind: 'ImagePullIntent', image } });
  }

  async removeIntent(image: string): Promise<void> {
    await this.#files.remove(`${this.#pulling}/${fileOf(image)}`);
  }

  /** The images of all intents that can be read. */
  async intents(): Promise<readonly string[]> {
    const images: string[] = [];
    for (const name of await this.#names(this.#pulling)) {
      const found = intentOf(await readWritten(this.#files, `${this.#pulling}/${name}`, RECORD_BYTES_MAX));
      if (typeof found === 'object') images.push(found.image);
    }
    return images;
  }

  async record(imageRef: string): Promise<Found<PulledRecord>> {
    const found = recordOf(await this.#read(fileOf(imageRef)));
    return typeof found === 'object' && found.imageRef !== imageRef ? 'unreadable' : found;
  }

  /** One that has become too long forgets whom it knew but for `repository`'s `newest`: they are asked again. */
  async writeRecord(
    record: PulledRecord,
    of: { readonly repository: string; readonly newest: ImageReaders },
  ): Promise<void> {
    const value = { kind: 'ImagePulledRecord', ...record };
    const isLong = JSON.stringify(value).length > RECORD_BYTES_MAX / 4;
    const kept = isLong ? { ...value, credentialMapping: { [of.repository]: of.newest } } : value;
    await this.#write(this.#pulled, { key: record.imageRef, value: kept });
  }

  /** Forgets images that are no more, but for what was written since (milliseconds since the epoch). */
  async prune(present: readonly string[], since: number): Promise<void> {
    const kept = new Set(present.map(fileOf));
    for (const name of await this.#names(this.#pulled)) {
      if (kept.has(name)) continue;
      const found = recordOf(await this.#read(name));
      // They tell their time to the second.
      const isNew = typeof found === 'object' && Date.parse(found.lastUpdatedTime) >= Math.floor(since / 1000) * 1000;
      if (!isNew) await this.#files.remove(`${this.#pulled}/${name}`);
    }
  }

  async #names(folder: string): Promise<readonly string[]> {
    return (await this.#files.list(folder)).filter((name) => NAME.test(name));
  }

  #read(name: string): ReturnType<typeof readWritten> {
    return readWritten(this.#files, `${this.#pulled}/${name}`, RECORD_BYTES_MAX);
  }

  async #write(folder: string, { key, value }: { readonly key: string; readonly value: object }): Promise<void> {
    await this.#files.makeDirectory(folder, 0o700);
    await writeDown(this.#files, `${folder}/${fileOf(key)}`, { ...value, apiVersion: VERSIONS[0] });
  }
}

function fileOf(key: string): string {
  return `sha256-${digest(key)}`;
}

type Written = Awaited<ReturnType<typeof readWritten>>;
interface Intent {
  readonly image: string;
}

function intentOf(written: Written): Found<Intent> {
  if (written === undefined) return 'none';
  const value = written.value as Partial<Intent & { kind: unknown; apiVersion: unknown }> | undefined | null;
  const isOne = value?.kind === 'ImagePullIntent' && VERSIONS.includes(value.apiVersion) && isText(value.image);
  return isOne ? { image: value.image as string } : 'unreadable';
}

function recordOf(written: Written): Found<PulledRecord> {
  if (written === undefined) return 'none';
  const value = written.value as Partial<PulledRecord & { kind: unknown; apiVersion: unknown }> | undefined | null;
  if (value?.kind !== 'ImagePulledRecord' || !VERSIONS.includes(value.apiVersion)) return 'unreadable';
  const { lastUpdatedTime, imageRef, credentialMapping = {} } = value;
  if (!isText(lastUpdatedTime) || !isText(imageRef) || !isTableOf(credentialMapping, areReaders)) return 'unreadable';
  return { lastUpdatedTime, imageRef, credentialMapping };
}

function areReaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { kubernetesSecrets = [], kubernetesServiceAccounts = [], nodePodsAccessible = false } = value as ImageReaders;
  return (
    typeof nodePodsAccessible === 'boolean' &&
    isListOf(kubernetesSecrets, (one) => isTableOf(one, isText)) &&
    isListOf(kubernetesServiceAccounts, (one) => isTableOf(one, isText))
  );
}
