import { describe } from 'node:test';
import type { StoreFactory } from './harness.ts';
import { leaseContract } from './leases.ts';
import { lifeContract } from './life.ts';
import { limitContract } from './limits.ts';
import { modelContract } from './model.ts';
import { rangeContract } from './ranges.ts';
import { transactionContract } from './transactions.ts';
import { watchContract } from './watches.ts';

/**
 * The suite of the store's port: registers tests with node:test that hold `factory`'s stores to every sentence of it.
 * Each test gets a store of its own. Takes no real time except where the store's own time is real. Random histories
 * are those of `seed`, the same each time; a soak run gives fresh ones.
 */
export function storeContract(name: string, factory: StoreFactory, options: { readonly seed?: number } = {}): void {
  describe(`store contract: ${name}`, { timeout: 120_000 }, () => {
    rangeContract(factory);
    transactionContract(factory);
    watchContract(factory);
    leaseContract(factory);
    lifeContract(factory);
    limitContract(factory);
    modelContract(factory, options.seed ?? 36);
  });
}
