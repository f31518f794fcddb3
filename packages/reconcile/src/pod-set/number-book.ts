import { isTransportError } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import type { PodNames } from './names.ts';

interface Entry {
  highest: number;
  /** Asked for, and nobody knows whether the request arrived. */
  readonly unknown: Set<number>;
}

/**
 * Which numbers of its pods' names each owner has used up. Numbers whose creation ended without an answer come first
 * again, so that a request that did arrive is met and not doubled.
 */
export class NumberBook {
  readonly #owners = new Map<string, Entry>();

  /** The next `count` numbers, given the names that the cache shows. Nothing is used up by asking. */
  next(
    ownerUid: string,
    count: number,
    seen: { readonly names: PodNames; readonly existing: readonly string[] },
  ): number[] {
    const entry = this.#entry(ownerUid);
    for (const name of seen.existing) {
      const number = seen.names.numberOf(name);
      if (number === undefined) continue;
      entry.highest = Math.max(entry.highest, number);
      entry.unknown.delete(number);
    }
    const again = [...entry.unknown].sort((a, b) => a - b).slice(0, count);
    const floor = Math.max(entry.highest, ...entry.unknown);
    return [...again, ...Array.from({ length: count - again.length }, (_, i) => floor + 1 + i)];
  }

  /** Creates the pod of a number, and notes what came of it. Throws what the creation throws. */
  async create(ownerUid: string, number: number, create: () => Promise<unknown>): Promise<void> {
    try {
      await create();
      this.#markUsed(ownerUid, number);
    } catch (error) {
      if (status.isAlreadyExists(error)) this.#markUsed(ownerUid, number);
      else if (isTransportError(error)) this.#entry(ownerUid).unknown.add(number);
      throw error;
    }
  }

  forget(ownerUid: string): void {
    this.#owners.delete(ownerUid);
  }

  /** The name is taken for good. */
  #markUsed(ownerUid: string, number: number): void {
    const entry = this.#entry(ownerUid);
    entry.highest = Math.max(entry.highest, number);
    entry.unknown.delete(number);
  }

  #entry(ownerUid: string): Entry {
    let entry = this.#owners.get(ownerUid);
    if (entry === undefined) this.#owners.set(ownerUid, (entry = { highest: -1, unknown: new Set() }));
    return entry;
  }
}
