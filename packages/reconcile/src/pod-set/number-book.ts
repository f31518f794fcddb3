import { isTransportError } from '@binnacle/client';
import { status, StatusError } from '@binnacle/machinery';
import type { PodNames } from './names.ts';

interface Entry {
  highest: number;
  /** Asked for, and nobody knows whether the request arrived: each with the place that its pod is for. */
  readonly unknown: Map<number, string>;
}

/** What tells which numbers are free, and what the next ones are for. */
export interface NumbersSeen {
  readonly names: PodNames;
  /** The names that the cache shows. */
  readonly existing: readonly string[];
  /** What each of the next pods is for, where they are not alike: its node. */
  readonly places?: readonly string[];
}

/**
 * Which numbers of its pods' names each owner has used up. A number whose creation ended without an answer comes again
 * for the same place, before any other, so that a request that did arrive is met and not doubled.
 */
export class NumberBook {
  readonly #owners = new Map<string, Entry>();

  /** The next `count` numbers. Nothing is used up by asking. */
  next(ownerUid: string, count: number, { names, existing, places }: NumbersSeen): number[] {
    const entry = this.#entry(ownerUid);
    for (const name of existing) {
      const number = names.numberOf(name);
      if (number === undefined) continue;
      entry.highest = Math.max(entry.highest, number);
      entry.unknown.delete(number);
    }
    const again = [...entry.unknown].sort(([a], [b]) => a - b);
    let last = Math.max(entry.highest, ...entry.unknown.keys());
    return Array.from({ length: count }, (_, i) => {
      const at = again.findIndex(([, place]) => place === (places?.[i] ?? ''));
      return at === -1 ? ++last : (again.splice(at, 1)[0]?.[0] ?? ++last);
    });
  }

  /** Creates the pod of a number, for a place where there are such; notes what came of it. Throws what the creation throws. */
  async create(
    ownerUid: string,
    { number, place = '' }: { readonly number: number; readonly place?: string },
    create: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await create();
      this.#markUsed(ownerUid, number);
    } catch (error) {
      if (status.isAlreadyExists(error)) this.#markUsed(ownerUid, number);
      else if (isUnanswered(error)) this.#entry(ownerUid).unknown.set(number, place);
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
    if (entry === undefined) this.#owners.set(ownerUid, (entry = { highest: -1, unknown: new Map() }));
    return entry;
  }
}

function isUnanswered(error: unknown): boolean {
  return isTransportError(error) || (error instanceof StatusError && error.httpCode >= 500);
}
