import type { Device } from '@binnacle/api/resource/v1';
import { parseQuantity } from '@binnacle/machinery';
import type { Pool } from './pools.ts';

/** What is left of a pool's counters while devices are chosen. */
export class CounterUse {
  readonly #isAllocated: (id: string) => boolean;
  readonly #left = new Map<Pool, Map<string, bigint>>();

  constructor(isAllocated: (id: string) => boolean) {
    this.#isAllocated = isAllocated;
  }

  /** Whether there is enough for the device; it is taken, if so. */
  take(pool: Pool, device: Device): boolean {
    const wanted = amountsOf(device);
    if (wanted.length === 0) return true;
    const left = this.#of(pool);
    if (wanted.some(([counter, amount]) => (left.get(counter) ?? 0n) < amount)) return false;
    for (const [counter, amount] of wanted) left.set(counter, (left.get(counter) ?? 0n) - amount);
    return true;
  }

  giveBack(pool: Pool, device: Device): void {
    const left = this.#of(pool);
    for (const [counter, amount] of amountsOf(device)) left.set(counter, (left.get(counter) ?? 0n) + amount);
  }

  #of(pool: Pool): Map<string, bigint> {
    let left = this.#left.get(pool);
    if (left !== undefined) return left;
    left = new Map();
    for (const [set, counters] of pool.counters) {
      for (const [name, amount] of counters) left.set(`${set} ${name}`, amount);
    }
    for (const { id, device } of pool.devices) {
      if (!this.#isAllocated(id)) continue;
      for (const [counter, amount] of amountsOf(device)) left.set(counter, (left.get(counter) ?? 0n) - amount);
    }
    this.#left.set(pool, left);
    return left;
  }
}

function amountsOf({ consumesCounters = [] }: Device): readonly (readonly [string, bigint])[] {
  return consumesCounters.flatMap(({ counterSet, counters = {} }) =>
    Object.entries(counters).map(([name, { value }]) => [`${counterSet} ${name}`, parseQuantity(value).nano] as const),
  );
}
