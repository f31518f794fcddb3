import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { identityCheck, limitOpening, openTunnel } from '@binnacle/base/node';
import { TransportError } from '../errors.ts';

export interface EndpointOptions {
  /** `https://host:port`, or `http://…` without TLS; one that stands behind others has a path before all of its own. */
  readonly server: string;
  /** PEM of the authorities that the server's certificate must come from; the machine's when absent. */
  readonly ca?: string;
  /** PEM of the client certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
  /** The name to check in the server's certificate when it is not the host of `server`. */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** `http://HOST:PORT` of a proxy (CONNECT) to go through; servers of `https:` only. */
  readonly proxyUrl?: string;
}

/** What stands before every path of a server: `/k8s/clusters/c-1`; empty for nearly all. */
export function basePathOf(server: string): string {
  return new URL(server).pathname.replace(/\/+$/, '');
}

/** TLS options for a server; an IP address is no server name (RFC 6066), so it is left out of SNI. */
export function tlsOptions(options: EndpointOptions): ConnectionOptions {
  const { hostname, port } = new URL(options.server);
  const host = hostname.replace(/^\[|\]$/g, '');
  const name = options.tlsServerName ?? (isIP(host) === 0 ? host : undefined);
  return {
    host,
    port: port === '' ? 443 : Number(port),
    ...(name === undefined ? {} : { servername: name }),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.cert === undefined ? {} : { cert: options.cert }),
    ...(options.key === undefined ? {} : { key: options.key }),
    rejectUnauthorized: options.insecureSkipTlsVerify !== true,
    ...identityCheck(name ?? host),
    // As Go checks: whatever stands in the bundle is believed, also where it is no authority of its own.
    allowPartialTrustChain: true,
  };
}

/** Opens a TLS connection that offers HTTP/2 first. */
export async function openTls(options: EndpointOptions, protocols = ['h2', 'http/1.1']): Promise<TLSSocket> {
  const tls = tlsOptions(options);
  const { proxyUrl, server } = options;
  const target = { host: tls.host ?? '', port: tls.port ?? 443 };
  const through =
    proxyUrl === undefined
      ? undefined
      : await openTunnel(proxyUrl, target).catch((error: unknown) => {
          throw connectFailure(server, error);
        });
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      ...tls,
      ALPNProtocols: protocols,
      ...(through === undefined ? {} : { socket: through }),
    });
    socket.setNoDelay(true);
    limitOpening(socket);
    const fail = (cause: Error): void => reject(connectFailure(server, cause));
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

export function connectFailure(server: string, cause: unknown): TransportError {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new TransportError('connect', `connecting to ${server}: ${text}`, { facts: { server }, cause });
}
