import type { Node } from '@binnacle/api/core/v1';

/** The nodes that have an image. */
export interface ImageNodes {
  /** Slot → size in bytes. */
  readonly bySlot: ReadonlyMap<number, number>;
  /** No node has more; one that had more and left is not forgotten before the last one with the image leaves. */
  readonly largest: number;
}

interface Entry {
  readonly bySlot: Map<number, number>;
  largest: number;
}

/** Which node has which image, by every name of the image. */
export class ImageIndex {
  readonly #byName = new Map<string, Entry>();
  readonly #namesBySlot = new Map<number, readonly string[]>();

  find(name: string): ImageNodes | undefined {
    return this.#byName.get(name);
  }

  /** The node at a slot is this one now, or none. */
  set(slot: number, node: Node | undefined): void {
    for (const name of this.#namesBySlot.get(slot) ?? []) {
      const entry = this.#byName.get(name);
      entry?.bySlot.delete(slot);
      if (entry?.bySlot.size === 0) this.#byName.delete(name);
    }
    this.#namesBySlot.delete(slot);
    const names: string[] = [];
    for (const image of node?.status?.images ?? []) {
      for (const name of image.names ?? []) {
        names.push(name);
        this.#add(name, slot, image.sizeBytes ?? 0);
      }
    }
    if (names.length > 0) this.#namesBySlot.set(slot, names);
  }

  #add(name: string, slot: number, sizeBytes: number): void {
    let entry = this.#byName.get(name);
    if (entry === undefined) this.#byName.set(name, (entry = { bySlot: new Map(), largest: 0 }));
    entry.bySlot.set(slot, sizeBytes);
    entry.largest = Math.max(entry.largest, sizeBytes);
  }
}
