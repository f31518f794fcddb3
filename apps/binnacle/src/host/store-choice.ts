import type { StoreChoice } from '@binnacle/cluster/node/open-store';
import type { DataDir } from './data-dir.ts';
import { workerUrls } from './workers.ts';

/** The store that the flags name. */
export function storeChoice(
  flags: {
    readonly store: 'sqlite' | 'memory' | 'etcd';
    readonly etcdServers?: readonly string[];
    readonly acceptDataLoss?: boolean;
  },
  dataDir: DataDir,
): StoreChoice {
  if (flags.store === 'memory') return { engine: 'memory' };
  if (flags.store === 'etcd') return { engine: 'etcd', endpoints: flags.etcdServers ?? [] };
  const { store } = workerUrls();
  return {
    engine: 'sqlite',
    path: dataDir.store,
    markPath: dataDir.storeMark,
    acceptDataLoss: flags.acceptDataLoss === true,
    ...(store === undefined ? {} : { workerUrl: store }),
  };
}
