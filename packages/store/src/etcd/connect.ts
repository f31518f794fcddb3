import type { Clock, Logger } from '@binnacle/base';
import { silentLogger } from '@binnacle/base';
import { REQUEST_BYTES_MAX } from '../mvcc/call-limits.ts';
import type { Store } from '../ports.ts';
import type { EtcdTls } from './connection.ts';
import { Connection } from './connection.ts';
import { EtcdStore } from './store.ts';
import { Translation } from './translation.ts';
import { loadMethods } from './wire.ts';

/** Options of `connectEtcdStore`. */
export interface EtcdStoreOptions {
  /** `http://host:port`, `https://host:port` or `host:port`; tried in turn. */
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  /** Put in front of all keys; nothing else is seen or touched. */
  readonly prefix?: string;
  readonly clock: Clock;
  readonly log?: Logger;
  /** How long one call may take. Default ten seconds. */
  readonly callMsMax?: number;
  /** How long calls that may be repeated are tried again. Default ten seconds. */
  readonly retryMsMax?: number;
  /** A transaction may be so large; the server's own limit holds too. Default 1.5 MiB, etcd's default. */
  readonly requestBytesMax?: number;
  /** Compacts as upstream's API server does, each so often (it uses five minutes); absent or 0: somebody else does. */
  readonly compactionIntervalMs?: number;
}

/**
 * Connects to etcd v3; the libraries for it are loaded now and not before. Rejects with StoreUnavailableError when no
 * endpoint answers. A watch outlives broken connections. `promptProgress` is false with servers before 3.4.31 and
 * 3.5.13: there a progress message may overtake events, so one is given only once an event proves it.
 */
export async function connectEtcdStore(
  options: EtcdStoreOptions,
): Promise<Store & { readonly promptProgress: boolean }> {
  const [{ default: grpc }, methods] = await Promise.all([import('@grpc/grpc-js'), loadMethods()]);
  const { clock, log = silentLogger } = options;
  const connection = new Connection(grpc, {
    endpoints: options.endpoints,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    clock,
    log,
    callMsMax: options.callMsMax ?? 10_000,
    retryMsMax: options.retryMsMax ?? 10_000,
  });
  try {
    const { version = '' } = await connection.call(methods.status, {}, { reads: true });
    const translation = new Translation(options.prefix ?? '');
    const promptProgress = isPromptVersion(version);
    const requestBytesMax = options.requestBytesMax ?? REQUEST_BYTES_MAX;
    const store = new EtcdStore({
      connection,
      methods,
      translation,
      clock,
      log,
      version,
      promptProgress,
      requestBytesMax,
    });
    store.compactEvery(options.compactionIntervalMs ?? 0);
    return store;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Whether a server of this version puts progress behind the events (etcd issue 15220). */
export function isPromptVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  return minor > 5 || (minor === 5 && patch >= 13);
}
