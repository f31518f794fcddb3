import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CatalogueError } from '../error.ts';
import { nodeHttp } from './node-http.ts';
import { hostPort } from '../host-port.ts';

/** A proxy does not lead where it was asked to. */
export class ProxyError extends CatalogueError {
  constructor(proxy: string, why: string, cause?: unknown) {
    super('proxy', `proxy ${proxy}: ${why}`, { cause });
  }
}

/** A proxy that has not answered is not waited for any longer, whether it is not there, says nothing or says it by the byte. */
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
  return new Promise((resolve, reject) => {
    const proxy = new URL(proxyUrl);
    const place = hostPort(host, port);
    const request = nodeHttp().request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? 80 : Number(proxy.port),
      method: 'CONNECT',
      path: place,
      headers: { host: place, ...loginOf(proxy) },
      agent: false,
    });
    const fail = (why: string, cause?: unknown): void => {
      clearTimeout(late);
      request.destroy();
      reject(new ProxyError(proxy.host, why, cause));
    };
    const late = setTimeout(() => fail('no answer'), TUNNEL_MS_MAX);
    request.once('error', (error) => fail(error.message, error));
    request.once('response', ({ statusCode }: IncomingMessage) => fail(`answers ${statusCode} to CONNECT ${place}`));
    request.once('connect', ({ statusCode }: IncomingMessage, socket: Socket, head: Uint8Array) => {
      if (statusCode !== 200) {
        socket.destroy();
        return fail(`answers ${statusCode} to CONNECT ${place}`);
      }
      clearTimeout(late);
      if (head.length > 0) socket.unshift(head);
      return resolve(socket);
    });
    request.end();
  });
}

function loginOf({ username, password }: URL): { readonly [header: string]: string } {
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return login === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}
