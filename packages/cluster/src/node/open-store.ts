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

/** As upstream's `--etcd-compaction-interval`. The other engines forget by themselves. */
const COMPACTION_INTERVAL_MS = 300_000;

/** Opens the chosen engine; only its code is loaded. */
export async function openStore(
  choice: StoreChoice,
  world: { readonly clock: Clock; readonly log: Logger },
): Promise<Store> {
  switch (choice.engine) {
    case 'memory':
      return createMemoryStore(world);
    case 'sqlite': {
      const { openSqliteStore } = await import('@binnacle/store/sqlite');
      const { engine: _, ...where } = choice;
      return openSqliteStore({ ...where, ...world });
    }
    case 'etcd': {
      if (choice.endpoints.length === 0) throw new ClusterError('no-endpoints', 'the etcd store needs --etcd-servers');
      const { connectEtcdStore } = await import('@binnacle/store/etcd');
      return connectEtcdStore({ endpoints: choice.endpoints, compactionIntervalMs: COMPACTION_INTERVAL_MS, ...world });
    }
  }
}
