/** Which file systems a node has, and what lies on which: what pods keep, images, and what containers write into their own layers. */
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Runtime, RuntimeFilesystem } from '@binnacle/runtime';
import type { DeviceUsage, FilesystemUsage, NodeUsage } from './figures.ts';
import type { Machine } from './ports.ts';

/**
 * `one`: all of it on the disk of pods' volumes and logs; `images`: images and layers on another; `split`: images on another,
 * layers not with them.
 */
export type DiskLayout = 'one' | 'images' | 'split';

/** A look at them. What cannot be told just now is undefined. */
export interface Disks {
  readonly layout: DiskLayout;
  readonly images: FilesystemUsage | undefined;
  readonly layers: FilesystemUsage | undefined;
}

export interface NodeDisksOptions {
  readonly machine: Pick<Machine, 'filesystem'>;
  readonly runtime: Pick<Runtime, 'filesystems'>;
  /** Where pods' volumes lie. */
  readonly rootDirectory: string;
  readonly log: Logger;
}

/** The disks of a node, as its runtime names them. */
export class NodeDisks {
  readonly #options: NodeDisksOptions;
  /** What lay where the last time that it could be told: a runtime that is away has not moved its images. */
  #layout: DiskLayout | undefined;

  constructor(options: NodeDisksOptions) {
    this.#options = options;
  }

  /** Throws what the runtime throws, as long as it has never told what lies where. */
  async look({ filesystem: own }: Pick<NodeUsage, 'filesystem'>): Promise<Disks> {
    try {
      const disks = await this.#read(own);
      this.#layout = disks.layout;
      return disks;
    } catch (error) {
      if (this.#layout === undefined) throw error;
      this.#options.log.warn('The runtime does not tell of its disks', { reason: messageOf(error) });
      return { layout: this.#layout, images: undefined, layers: undefined };
    }
  }

  async #read(own: FilesystemUsage | undefined): Promise<Disks> {
    const { machine, runtime, rootDirectory } = this.#options;
    const told = machine.filesystem === undefined ? undefined : await runtime.filesystems?.();
    if (told === undefined) return { layout: 'one', images: own, layers: own };
    const [pods, images] = await Promise.all([machine.filesystem?.(rootDirectory), this.#usageOf(told.images)]);
    const layers = told.layers === undefined ? images : await this.#usageOf(told.layers);
    const layout = layoutOf(pods?.device, images?.device, layers?.device);
    return { layout, images: images?.usage, layers: layers?.usage };
  }

  /** What is left is the disk's, what is used the runtime's own, where it tells. */
  async #usageOf({ folder, usedBytes, inodesUsed }: RuntimeFilesystem): Promise<DeviceUsage | undefined> {
    const found = await this.#options.machine.filesystem?.(folder);
    if (found === undefined) {
      this.#options.log.warn('A folder of the runtime is none of this machine', { folder });
      return undefined;
    }
    const { device, usage } = found;
    return {
      device,
      usage: { ...usage, usedBytes: usedBytes ?? usage.usedBytes, inodesUsed: inodesUsed ?? usage.inodesUsed },
    };
  }
}

function layoutOf(pods: string | undefined, images: string | undefined, layers: string | undefined): DiskLayout {
  if (images === undefined || images === pods) return 'one';
  return layers === images ? 'images' : 'split';
}
