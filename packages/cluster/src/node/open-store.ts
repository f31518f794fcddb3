import type { Clock, Logger } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import type { Store } from '@binnacle/store';
import { ClusterError } from '../errors.ts';

/** Where a cluster keeps its objects. */
export type StoreChoice =
  | { readonly engine: 'memory' }
  | {
      readonly engine: 'sqlite';
      readonly path: string;
      readonly workerUrl?: URL;
      /** The file that notices a lost database; best kept where it is not lost together with it. */
      readonly markPath?: string;
      /** Start although less is there than was acknowledged. */
      readonly acceptDataLoss?: boolean;
    }
  | { readonly engine: 'etcd'; readonly endpoints: readonly string[] };

/** Upstream's `--etcd-compaction-interval` where it is not given. */
const COMPACTION_INTERVAL_MS = 300_000;

/**
 * Opens the chosen engine; only its code is loaded. The past is forgotten when it is older than the interval, with etcd
 * when it is between one and two of them old; 0 is never, though the embedded engines bound its size all the same.
 */
export async function openStore(
  choice: StoreChoice,
  world: { readonly clock: Clock; readonly log: Logger },
  compactionIntervalMs = COMPACTION_INTERVAL_MS,
): Promise<Store> {
  const historyAgeMsMax = compactionIntervalMs === 0 ? Infinity : compactionIntervalMs;
  switch (choice.engine) {
    case 'memory':
      return createMemoryStore({ ...world, historyAgeMsMax });
    case 'sqlite': {
      const { openSqliteStore } = await import('@binnacle/store/sqlite');
      const { engine: _, ...where } = choice;
      return openSqliteStore({ ...where, ...world, historyAgeMsMax });
    }
    case 'etcd': {
      if (choice.endpoints.length === 0) throw new ClusterError('no-endpoints', 'the etcd store needs endpoints');
      const { connectEtcdStore } = await import('@binnacle/store/etcd');
      return connectEtcdStore({ endpoints: choice.endpoints, compactionIntervalMs, ...world });
    }
  }
}
