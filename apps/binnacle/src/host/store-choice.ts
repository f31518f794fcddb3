import type { StoreChoice } from '@binnacle/cluster/node/open-store';
import { UsageError } from '../errors.ts';
import type { DataDir } from './data-dir.ts';
import { workerUrls } from './workers.ts';

/** Where etcd is, and how it and this server know each other, by upstream's names. */
export interface EtcdFlags {
  readonly etcdServers?: readonly string[];
  readonly etcdCafile?: string;
  readonly etcdCertfile?: string;
  readonly etcdKeyfile?: string;
}

/** Which etcd, and by which certificates. Throws UsageError for half of a pair. */
export function etcdChoice({ etcdServers = [], etcdCafile, etcdCertfile, etcdKeyfile }: EtcdFlags): StoreChoice {
  if ((etcdCertfile === undefined) !== (etcdKeyfile === undefined))
    throw new UsageError('--etcd-certfile and --etcd-keyfile go together');
  const tls = {
    ...(etcdCafile === undefined ? {} : { ca: etcdCafile }),
    ...(etcdCertfile === undefined ? {} : { cert: etcdCertfile }),
    ...(etcdKeyfile === undefined ? {} : { key: etcdKeyfile }),
  };
  return { engine: 'etcd', endpoints: etcdServers, ...(Object.keys(tls).length === 0 ? {} : { tls }) };
}

/** The store that the flags name. */
export function storeChoice(
  flags: EtcdFlags & { readonly store: 'sqlite' | 'memory' | 'etcd'; readonly acceptDataLoss?: boolean },
  dataDir: DataDir,
): StoreChoice {
  if (flags.store === 'memory') return { engine: 'memory' };
  if (flags.store === 'etcd') return etcdChoice(flags);
  const { store } = workerUrls();
  return {
    engine: 'sqlite',
    path: dataDir.store,
    markPath: dataDir.storeMark,
    acceptDataLoss: flags.acceptDataLoss === true,
    ...(store === undefined ? {} : { workerUrl: store }),
  };
}
