import type { Clock, Logger, Rounds } from '@binnacle/base';
import { messageOf, startRounds } from '@binnacle/base';
import type { Store } from './ports.ts';

/** Upstream's key, so that our servers and upstream's on one etcd take turns. */
const COMPACT_KEY = 'compact_rev_key';

export interface CompactorParts {
  readonly store: Pick<Store, 'txn' | 'compact'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** A revision is forgotten when it is between one and two of these old. */
  readonly intervalMs: number;
}

/** What the last round has learnt. */
interface Round {
  /** Version of the key when it was seen last; who sees it unchanged compacts. */
  readonly version: number;
  /** The store's revision at that time. */
  readonly revision: number;
}

/**
 * Forgets history for a store that keeps all of it until told (etcd), as upstream's API server does: each interval the
 * key is written by compare-and-swap on its version. Of several servers one wins and compacts what was the present an
 * interval ago; the others learn the version and try next time.
 */
export class Compactor {
  readonly #parts: CompactorParts;
  #round: Round = { version: 0, revision: 0 };
  readonly #rounds: Rounds;

  constructor(parts: CompactorParts) {
    this.#parts = parts;
    const { clock, intervalMs, log } = parts;
    this.#rounds = startRounds({
      clock,
      everyMs: intervalMs,
      firstMs: intervalMs,
      run: () => this.#compact(),
      failed: (error) => log.warn('compaction of the store failed', { reason: messageOf(error) }),
    });
  }

  /** Resolves when the round that runs has ended. */
  close(): Promise<void> {
    return this.#rounds.stop();
  }

  async #compact(): Promise<void> {
    const { store, log } = this.#parts;
    const { version, revision } = this.#round;
    const result = await store.txn({
      compare: [{ target: 'version', key: COMPACT_KEY, result: 'equal', value: version }],
      success: [{ type: 'put', key: COMPACT_KEY, value: new TextEncoder().encode(String(revision)) }],
      failure: [{ type: 'range', key: COMPACT_KEY }],
    });
    if (!result.succeeded) {
      const [found] = result.results;
      const seen = found?.type === 'range' ? found.kvs[0]?.version : undefined;
      this.#round = { version: seen ?? 0, revision: result.revision };
      return;
    }
    this.#round = { version: version + 1, revision: result.revision };
    if (revision === 0) return;
    await store.compact(revision);
    log.info(3, 'history of the store is compacted away', { before: revision });
  }
}
