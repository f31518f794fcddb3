import type { Clock, Logger } from '@binnacle/base';
import { messageOf } from '@binnacle/base';
import { normalizeImageName } from '@binnacle/runtime';
import type { ImageStatus, Runtime } from '@binnacle/runtime';
import { ImageGarbageError } from '../errors.ts';
import type { NodeDisks } from '../node-disks.ts';
import type { Machine } from '../ports.ts';

export interface ImageGarbageOptions {
  readonly runtime: Pick<Runtime, 'listImages' | 'listContainers' | 'removeImage'>;
  readonly machine: Pick<Machine, 'usage'>;
  readonly disks: Pick<NodeDisks, 'look'>;
  /** What is used without a container: images that are volumes. */
  readonly references: () => readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  /** People are warned, by an event of the node. */
  readonly warn: (reason: string, message: string) => void;
  /** Parts of the disk, in hundredths: above the first images go until it is below the second. */
  readonly highPercent: number;
  readonly lowPercent: number;
  /** Told of all images that there were at a time (milliseconds since the epoch), with each look. Never rejects. */
  readonly known?: ((ids: readonly string[], at: number) => Promise<void>) | undefined;
  /** An image that has come less than so long ago stays. */
  readonly minimumAgeMs: number;
  /** One that nobody has used for so long goes whatever the disk says; 0: none does. */
  readonly maximumAgeMs: number;
}

interface Seen {
  readonly firstAt: number;
  readonly usedAt: number;
}

/**
 * Throws images away that no container uses, those first that were not used for the longest time. One that was loaded
 * by hand stays: no registry would give it again.
 */
export class ImageGarbage {
  readonly #options: ImageGarbageOptions;
  readonly #seen = new Map<string, Seen>();
  #hasFailed = false;

  constructor(options: ImageGarbageOptions) {
    this.#options = options;
  }

  /**
   * The regular look: what nobody used for long goes, and more where the disk is nearly full. Never rejects: what fails is
   * logged, and people are warned where it fails again.
   */
  async look(): Promise<void> {
    const { log, warn } = this.#options;
    try {
      await this.#collect();
      this.#hasFailed = false;
    } catch (error) {
      const times = this.#hasFailed ? 'multiple times in a row' : 'once';
      log.error(error, `Image garbage collection failed ${times}`);
      if (this.#hasFailed) warn('ImageGCFailed', messageOf(error));
      this.#hasFailed = true;
    }
  }

  /** Throws what the runtime throws, and ImageGarbageError where too little could be freed. */
  async #collect(): Promise<void> {
    const { machine, disks, highPercent, lowPercent, maximumAgeMs, clock } = this.#options;
    const at = clock.now();
    const unused = await this.#unused();
    await this.#options.known?.([...this.#seen.keys()], at);
    const old = (image: ImageStatus): boolean =>
      maximumAgeMs > 0 && clock.now() - (this.#seen.get(image.id)?.usedAt ?? 0) > maximumAgeMs;
    await this.#remove(unused.filter(old), Infinity);
    const usage = highPercent >= 100 ? undefined : await machine.usage?.();
    const disk = usage && (await disks.look(usage)).images;
    if (disk === undefined) return;
    if (disk.capacityBytes === 0) this.#fail('InvalidDiskCapacity', 'invalid capacity 0 on image filesystem');
    const usedPercent = 100 - Math.floor((disk.availableBytes * 100) / disk.capacityBytes);
    if (usedPercent < highPercent) return;
    const wanted = (disk.capacityBytes * (100 - lowPercent)) / 100 - disk.availableBytes;
    const freed = await this.#remove(
      unused.filter((image) => !old(image)),
      wanted,
    );
    if (freed >= wanted) return;
    const used = `${usedPercent}% of ${binarySize(disk.capacityBytes)} used`;
    this.#fail(
      'FreeDiskSpaceFailed',
      `Insufficient free disk space on the node's image filesystem (${used}). Failed to free sufficient space by deleting unused images (freed ${freed} bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.`,
    );
  }

  #fail(reason: string, message: string): never {
    this.#options.warn(reason, message);
    throw new ImageGarbageError(message);
  }

  /**
   * All that is not used; one that has just come is about to be. Answers with the bytes that they took; what cannot be
   * removed is told.
   */
  async freeAll(): Promise<number> {
    return this.#remove(await this.#unused(), Infinity);
  }

  async #unused(): Promise<readonly ImageStatus[]> {
    const { runtime, clock, minimumAgeMs } = this.#options;
    const [images, containers] = await Promise.all([runtime.listImages(), runtime.listContainers()]);
    const now = clock.now();
    const asVolumes = this.#options.references().flatMap((name) => [name, normalizeImageName(name)]);
    const used = new Set([...containers.flatMap(({ image, imageRef }) => [image, imageRef]), ...asVolumes]);
    const isUsed = ({ id, tags, digests }: ImageStatus): boolean => [id, ...tags, ...digests].some((n) => used.has(n));
    for (const image of images) {
      const firstAt = this.#seen.get(image.id)?.firstAt ?? now;
      const usedAt = isUsed(image) ? now : (this.#seen.get(image.id)?.usedAt ?? now);
      this.#seen.set(image.id, { firstAt, usedAt });
    }
    const there = new Set(images.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!there.has(id)) this.#seen.delete(id);
    const age = ({ id }: ImageStatus): number => now - (this.#seen.get(id)?.firstAt ?? now);
    return images
      .filter((image) => !isUsed(image) && image.digests.length > 0 && image.isPinned !== true)
      .filter((image) => age(image) >= minimumAgeMs)
      .toSorted((a, b) => (this.#seen.get(a.id)?.usedAt ?? 0) - (this.#seen.get(b.id)?.usedAt ?? 0));
  }

  async #remove(images: readonly ImageStatus[], wantedBytes: number): Promise<number> {
    const { runtime, log } = this.#options;
    let freed = 0;
    for (const { id, sizeBytes, tags } of images) {
      if (freed >= wantedBytes) break;
      log.info(0, 'Removing image to free bytes', { id, tags, sizeBytes });
      try {
        await runtime.removeImage(id);
      } catch (error) {
        // One that stays must not keep the others, and what else is done for room.
        log.error(error, 'Failed to remove an image', { id, tags });
        continue;
      }
      this.#seen.delete(id);
      freed += sizeBytes;
    }
    return freed;
  }
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes as people read them: `1.5 GiB`. */
export function binarySize(bytes: number): string {
  if (bytes < 1024) return `${Math.floor(bytes)} B`;
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}
