import { readFile } from 'node:fs/promises';
import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import type { Store } from '@binnacle/store';
import { ClusterError } from '../errors.ts';

/** Paths of PEM: whose certificates of etcd are believed, and what this server shows there (`--etcd-cafile` and its kin). */
export interface EtcdFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

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
  | { readonly engine: 'etcd'; readonly endpoints: readonly string[]; readonly tls?: EtcdFiles };

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
      const tls = choice.tls === undefined ? {} : { tls: await readFiles(choice.tls) };
      return connectEtcdStore({ endpoints: choice.endpoints, ...tls, compactionIntervalMs, ...world });
    }
  }
}

/** The same with what is in the files. Throws ClusterError that names the file. */
async function readFiles(files: EtcdFiles): Promise<EtcdFiles> {
  const entries = Object.entries(files).map(async ([name, path]: [string, string]) => {
    try {
      return [name, await readFile(path, 'utf8')];
    } catch (error) {
      throw new ClusterError('etcd-file', `${path}: ${messageOf(error)}`, { cause: error });
    }
  });
  const read = Object.fromEntries(await Promise.all(entries)) as EtcdFiles;
  if (read.cert !== undefined && read.key !== undefined) {
    const { checkPair } = await import('@binnacle/certificates/node');
    checkPair({ certificate: read.cert, key: read.key });
  }
  return read;
}
