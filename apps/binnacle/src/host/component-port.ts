import { hostname } from 'node:os';
import { messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import type { Pages } from '@binnacle/cluster/component-pages';
import { DelegatedAccess } from '@binnacle/cluster/delegated-access';
import { followClientCa } from '@binnacle/cluster/follow-client-ca';
import { serveComponent } from '@binnacle/cluster/node/component-server';
import type { ComponentServer } from '@binnacle/cluster/node/component-server';
import { followFile } from '@binnacle/cluster/node/follow-file';
import { makeServingPair, readKeyPair } from '@binnacle/cluster/node/serving-files';
import type { World } from '@binnacle/cluster/world';
import { UsageError } from '../errors.ts';
import { BIND_ADDRESS } from './component-port-options.ts';
import { readCertificates } from './kubelet-ca.ts';

/** The flags of the port of a component that runs alone, by upstream's names. */
export interface PortFlags {
  /** 0: there is none. */
  readonly securePort?: number;
  readonly bindAddress?: string;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly clientCaFile?: string;
}

const PORT_MAX = 65_535;

/** Throws UsageError for what the flags cannot mean. */
export function refuseWrongPort({ securePort, tlsCertFile, tlsPrivateKeyFile, clientCaFile }: PortFlags): void {
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined))
    throw new UsageError('--tls-cert-file and --tls-private-key-file belong together');
  if (securePort !== undefined && securePort > PORT_MAX)
    throw new UsageError(`--secure-port ${securePort} is no port: 0 to ${PORT_MAX}`);
  if (clientCaFile !== undefined) readCertificates('--client-ca-file', clientCaFile);
}

/** What a port is opened for. */
export interface PortWish {
  /** As upstream calls it. */
  readonly component: string;
  readonly defaultPort: number;
  /** Asks the API server who callers are, and what they may. */
  readonly client: Client;
  readonly pages: Pages;
  readonly world: World;
  readonly scope: Scope;
}

/** Opens the port that the flags ask for, and answers with its number; undefined: none is wanted. Throws UsageError. */
export async function openComponentPort(flags: PortFlags, wish: PortWish): Promise<number | undefined> {
  const { securePort, clientCaFile } = flags;
  if (securePort === 0) return undefined;
  const { client, component, defaultPort, pages, scope, world } = wish;
  const { clock, log } = world;
  const pair = await pairOf(flags, clock.now());
  const access = new DelegatedAccess({ client, clock, log, component });
  const host = flags.bindAddress ?? BIND_ADDRESS;
  const serve = (port: number): Promise<ComponentServer> =>
    serveComponent({ host, port, pair, access, pages, world, scope });
  const server = await serve(securePort ?? defaultPort).catch((error: unknown) => {
    const isTaken = (error as { readonly code?: string }).code === 'EADDRINUSE';
    if (securePort === undefined && isTaken) return serve(0);
    throw new UsageError(
      `--secure-port: cannot listen on ${host}:${securePort ?? defaultPort}: ${messageOf(error)}`,
      error,
    );
  });
  followPair(flags, server, wish);
  if (clientCaFile !== undefined) server.trust(readCertificates('--client-ca-file', clientCaFile));
  else followClientCa({ client, world }, scope, (ca) => server.trust(ca));
  log.info(1, 'Serving securely', { host, port: server.port });
  return server.port;
}

async function pairOf({ tlsCertFile, tlsPrivateKeyFile, bindAddress }: PortFlags, now: number) {
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined) {
    return readKeyPair(tlsCertFile, tlsPrivateKeyFile).catch((error: unknown) => {
      throw new UsageError('cannot use --tls-cert-file and --tls-private-key-file', error);
    });
  }
  const isOpen = bindAddress === undefined || bindAddress === '0.0.0.0' || bindAddress === '::';
  const ips = ['127.0.0.1', '::1', ...(isOpen ? [] : [bindAddress])];
  return makeServingPair({ hostnames: ['localhost', hostname()], ips: [...new Set(ips)] }, now);
}

/** Whoever renews certificates writes them to the same files: what cannot be used yet leaves the one before. */
function followPair({ tlsCertFile, tlsPrivateKeyFile }: PortFlags, server: ComponentServer, wish: PortWish): void {
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined) return;
  const { scope, world } = wish;
  const readAnew = async (): Promise<void> => {
    try {
      const pair = await readKeyPair(tlsCertFile, tlsPrivateKeyFile);
      server.show(pair);
    } catch (error) {
      world.log.warn('the certificate that is shown stays', { path: tlsCertFile, reason: messageOf(error) });
    }
  };
  const onChange = (): void => scope.run('certificate', readAnew);
  for (const path of [tlsCertFile, tlsPrivateKeyFile]) followFile(path, scope, { world, onChange });
}
