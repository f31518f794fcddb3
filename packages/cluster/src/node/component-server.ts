import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { certifiedCaller, ConnectionBound, listenWithin } from '@binnacle/base/node';
import type { KeyPair } from '@binnacle/certificates/node';
import type { AccessRefusal, DelegatedAccess } from '../delegated-access.ts';
import { isAnonymous } from '../delegated-access.ts';
import type { PageAnswer, Pages } from '../component-pages.ts';
import type { World } from '../world.ts';

/** The HTTPS port of a component that runs alone. */
export interface ComponentServerWish {
  readonly host: string;
  /** 0: any. */
  readonly port: number;
  readonly pair: KeyPair;
  readonly access: Pick<DelegatedAccess, 'authenticate' | 'authorize'>;
  readonly pages: Pages;
  readonly world: Pick<World, 'clock' | 'log'>;
  readonly scope: Scope;
}

/** What may change while it is open. */
export interface ComponentServer {
  readonly port: number;
  /** Another certificate is shown from now on. */
  show(pair: KeyPair): void;
  /** PEM of the authority of client certificates; undefined: none is believed. */
  trust(clientCa: string | undefined): void;
}

/** Who watches over a component needs a few. */
const CONNECTIONS_MAX = 256;
/** Upstream's, for handshakes and heads of requests, and for connections that nothing is asked on. */
const HEAD_DEADLINE_MS = 32_000;
const IDLE_MS = 90_000;
/** Requests have no body that anybody reads. */
const REQUEST_DEADLINE_MS = 40_000;

/** Opens it until the scope ends; every request is authenticated and authorized. Rejects with what listening says. */
export async function serveComponent(wish: ComponentServerWish): Promise<ComponentServer> {
  const { host, port, scope, world } = wish;
  let { pair } = wish;
  let clientCa: string | undefined;
  const shown = () => ({
    cert: pair.certificate,
    key: pair.key,
    // With no list at all Node would believe every public authority.
    ca: clientCa === undefined ? [] : [clientCa],
    allowPartialTrustChain: true,
    minVersion: 'TLSv1.2' as const,
  });
  const server = createServer({
    ...shown(),
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: HEAD_DEADLINE_MS,
    headersTimeout: HEAD_DEADLINE_MS,
    requestTimeout: REQUEST_DEADLINE_MS,
    keepAliveTimeout: IDLE_MS,
  });
  const connections = new ConnectionBound(CONNECTIONS_MAX);
  server.on('connection', (socket) => connections.add(socket as Socket));
  const serving = { ...wish, connections, believes: () => clientCa !== undefined };
  server.on('request', (request, response) => {
    handle(serving, request, response).catch((error: unknown) => {
      world.log.warn('A request to the port of this component failed', { url: request.url, reason: messageOf(error) });
      response.destroy();
    });
  });
  await listenWithin(scope, server, { port, host, cutOff: () => connections.close() });
  return {
    port: (server.address() as AddressInfo).port,
    show(newer) {
      pair = newer;
      server.setSecureContext(shown());
    },
    trust(ca) {
      clientCa = ca;
      try {
        server.setSecureContext(shown());
      } catch (error) {
        clientCa = undefined;
        server.setSecureContext(shown());
        world.log.warn('no client certificate is believed: their authority is none', { reason: messageOf(error) });
      }
    },
  };
}

type Serving = ComponentServerWish & {
  readonly connections: Pick<ConnectionBound, 'know'>;
  readonly believes: () => boolean;
};

async function handle(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { access, connections, pages, world } = serving;
  const { method = 'GET', headers } = request;
  const url = URL.parse(request.url ?? '/', 'https://component');
  const path = url === null ? undefined : decodePath(url.pathname);
  if (url === null || path === undefined) return send(response, { code: 400, ...plain('Bad Request\n') });
  const socket = request.socket as TLSSocket;
  const certified = serving.believes() ? certifiedCaller(socket, world.clock.now()) : undefined;
  const user = await access.authenticate(certified, headers.authorization);
  if (user === undefined) {
    return send(response, refusal({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }));
  }
  const refused = await access.authorize(user, method, path);
  if (!isAnonymous(user)) connections.know(socket);
  if (refused !== undefined) return send(response, refusal(refused));
  const query = new Map([...url.searchParams.keys()].map((name) => [name, url.searchParams.getAll(name)]));
  return send(response, await pages({ method, path, query, accept: headers.accept ?? '' }));
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // Percent signs that stand for nothing.
    return undefined;
  }
}

/** In the words of an API server. */
function refusal({ code, reason, message }: AccessRefusal): PageAnswer {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return { code, contentType: 'application/json', body: `${JSON.stringify(status)}\n` };
}

function plain(body: string): Omit<PageAnswer, 'code'> {
  return { contentType: 'text/plain; charset=utf-8', body };
}

/** Node leaves the body of an answer to HEAD out. */
function send(response: ServerResponse, { code, contentType, body, allow, warning }: PageAnswer): void {
  response.writeHead(code, {
    'cache-control': 'no-cache, private',
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    ...(allow === undefined ? {} : { allow }),
    ...(warning === undefined ? {} : { warning }),
  });
  response.end(body);
}
