import type { Clock, Logger } from '@binnacle/base';
import { normalizeImageName } from '@binnacle/runtime';
import type { ImageStatus, Runtime } from '@binnacle/runtime';
import type { Machine } from '../ports.ts';

export interface ImageGarbageOptions {
  readonly runtime: Pick<Runtime, 'listImages' | 'listContainers' | 'removeImage'>;
  readonly machine: Pick<Machine, 'usage'>;
  /** What is used without a container: images that are volumes. */
  readonly references: () => readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Parts of the disk, in hundredths: above the first images go until it is below the second. */
  readonly highPercent: number;
  readonly lowPercent: number;
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

  constructor(options: ImageGarbageOptions) {
    this.#options = options;
  }

  /** The regular look: what nobody used for long goes, and more where the disk is nearly full. */
  async collect(): Promise<void> {
    const { machine, highPercent, lowPercent, maximumAgeMs, clock } = this.#options;
    const unused = await this.#unused();
    const old = (image: ImageStatus): boolean =>
      maximumAgeMs > 0 && clock.now() - (this.#seen.get(image.id)?.usedAt ?? 0) > maximumAgeMs;
    await this.#remove(unused.filter(old), Infinity);
    const disk = (await machine.usage?.())?.filesystem;
    if (disk === undefined || highPercent >= 100) return;
    const usedPercent = 100 - Math.floor((disk.availableBytes * 100) / Math.max(1, disk.capacityBytes));
    if (usedPercent < highPercent) return;
    const wanted = (disk.capacityBytes * (100 - lowPercent)) / 100 - disk.availableBytes;
    await this.#remove(
      unused.filter((image) => !old(image)),
      wanted,
    );
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
