import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CatalogueError } from '../error.ts';
import { nodeHttp } from './node-http.ts';

/** A proxy does not lead where it was asked to. */
export class ProxyError extends CatalogueError {
  constructor(proxy: string, why: string, cause?: unknown) {
    super('proxy', `proxy ${proxy}: ${why}`, { cause });
  }
}

/** A proxy that says nothing is not waited for any longer. */
const TUNNEL_MS_MAX = 30_000;

/** Where a tunnel leads. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * A connection to a host through a proxy of HTTP (CONNECT); what comes over it is the host's. Credentials in the proxy's URL are
 * given to it. Throws ProxyError, which shows them to nobody.
 */
export function openTunnel(proxyUrl: string, { host, port }: TunnelTarget): Promise<Socket> {
  const proxy = new URL(proxyUrl);
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new Promise((resolve, reject) => {
    const request = nodeHttp().request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? 80 : Number(proxy.port),
      method: 'CONNECT',
      path: place,
      headers: {
        host: place,
        ...(login === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
      },
      agent: false,
    });
    const fail = (why: string, cause?: unknown): void => {
      request.destroy();
      reject(new ProxyError(proxy.host, why, cause));
    };
    request.setTimeout(TUNNEL_MS_MAX, () => fail('no answer'));
    request.once('error', (error) => fail(error.message, error));
    request.once('response', ({ statusCode }: IncomingMessage) => fail(`answers ${statusCode} to CONNECT ${place}`));
    request.once('connect', ({ statusCode }: IncomingMessage, socket: Socket, head: Uint8Array) => {
      if (statusCode !== 200) {
        socket.destroy();
        return fail(`answers ${statusCode} to CONNECT ${place}`);
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      return resolve(socket);
    });
    request.end();
  });
}
