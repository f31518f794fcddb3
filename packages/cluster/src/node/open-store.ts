import type { Clock, Logger } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import type { Store } from '@binnacle/store';
import { ClusterError } from '../errors.ts';

/** Where a cluster keeps its objects. */
export type StoreChoice =
  | { readonly engine: 'memory' }
  | { readonly engine: 'sqlite'; readonly path: string; readonly workerUrl?: URL }
  | { readonly engine: 'etcd'; readonly endpoints: readonly string[] };

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
      const worker = choice.workerUrl === undefined ? {} : { workerUrl: choice.workerUrl };
      return openSqliteStore({ path: choice.path, ...worker, ...world });
    }
    case 'etcd': {
      if (choice.endpoints.length === 0) throw new ClusterError('no-endpoints', 'the etcd store needs --etcd-servers');
      const { connectEtcdStore } = await import('@binnacle/store/etcd');
      return connectEtcdStore({ endpoints: choice.endpoints, ...world });
    }
  }
}
