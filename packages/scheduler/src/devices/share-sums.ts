import type { Amounts } from './capacity.ts';

interface Shared {
  count: number;
  readonly amounts: Map<string, bigint>;
}

/** How much of each device several claims have together. */
export class ShareSums {
  readonly #byDevice = new Map<string, Shared>();

  /** In nanos by capacity; undefined: nobody has a share, be it of nothing. */
  of(id: string): ReadonlyMap<string, bigint> | undefined {
    return this.#byDevice.get(id)?.amounts;
  }

  add(id: string, share: Amounts): void {
    const shared = this.#byDevice.get(id) ?? { count: 0, amounts: new Map<string, bigint>() };
    this.#byDevice.set(id, shared);
    shared.count++;
    for (const [name, { nano }] of share) shared.amounts.set(name, (shared.amounts.get(name) ?? 0n) + nano);
  }

  /** Takes back what was added. */
  remove(id: string, share: Amounts): void {
    const shared = this.#byDevice.get(id);
    if (shared === undefined) return;
    if (--shared.count === 0) this.#byDevice.delete(id);
    for (const [name, { nano }] of share) shared.amounts.set(name, (shared.amounts.get(name) ?? 0n) - nano);
  }
}
