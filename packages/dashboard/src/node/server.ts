import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex as NodeDuplex } from 'node:stream';
import type { Clock, Logger, Random, Scope } from '@binnacle/base';
import { bracketed, ClientCount, hostPort, messageOf } from '@binnacle/base';
import { nodeHttp } from '@binnacle/base/node';
import type { Wire } from '@binnacle/machinery';
import { DATA_HEADERS, isOwn, ownHosts } from '../headers.ts';
import { judgePath } from '../paths.ts';
import { Sessions } from '../sessions.ts';
import type { OpenWire, Session } from '../sessions.ts';
import { readPageFiles } from './files.ts';
import { isForwardPath, serveForwards } from './forward-routes.ts';
import { Forwards } from './forwards.ts';
import { sendFile } from './send-file.ts';
import { passOn } from './pass-on.ts';
import { serveSession, SIGN_INS } from './session-routes.ts';
import { answerUpgrade } from './upgrade.ts';
import type { DashboardWorld } from './world.ts';

/** Where the dashboard is served, and how it reaches the API server. */
export interface DashboardOptions {
  /** Port 0 takes any. */
  readonly host: string;
  readonly port: number;
  /** PEM. Absent: plain HTTP, for loopback addresses only. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** The folder with the page's files. */
  readonly files: string;
  readonly open: OpenWire;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly scope: Scope;
}

/** A dashboard that can be looked at. */
export interface ServedDashboard {
  readonly url: string;
  readonly port: number;
  /** A link that opens one session, once. */
  link(open: () => Promise<Wire>): string;
}

const HEAD_DEADLINE_MS = 30_000;

/** Serves the page and what it asks of the API server, on an origin of its own; ends with the scope. */
export async function serveDashboard(options: DashboardOptions): Promise<ServedDashboard> {
  const { host, tls, log, scope } = options;
  let read: ReturnType<typeof readPageFiles> | undefined;
  const files = (): ReturnType<typeof readPageFiles> =>
    (read ??= readPageFiles(options.files).catch((error: unknown) => {
      // Whoever looks next reads again: there may be descriptors by then.
      read = undefined;
      throw error;
    }));
  const sessions = new Sessions(options);
  const server: Server =
    tls === undefined
      ? nodeHttp().createServer()
      : createSecureServer({ cert: tls.certificate, key: tls.key, minVersion: 'TLSv1.2' });
  server.requestTimeout = 0;
  server.headersTimeout = HEAD_DEADLINE_MS;
  server.listen(options.port, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const names = [bracketed(host), 'localhost', '127.0.0.1', '[::1]'];
  const opened = new WeakMap<Session, Forwards>();
  const forwardsOf = (session: Session): Forwards => {
    const known = opened.get(session);
    if (known !== undefined) return known;
    const forwards = new Forwards(session.wire, options);
    opened.set(session, forwards);
    session.scope.defer(() => forwards.close());
    return forwards;
  };
  const world = {
    ...options,
    files,
    sessions,
    signIns: new ClientCount(SIGN_INS),
    forwardsOf,
    hosts: ownHosts(names, { port, isSecure: tls !== undefined }),
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answer(world, request, response).catch((error: unknown) => {
      // Whoever left waits for no answer.
      if (response.destroyed) return;
      log.warn('the dashboard could not answer', { path: request.url ?? '', reason: messageOf(error) });
      if (response.headersSent) response.destroy();
      else refuse(response, 502, messageOf(error));
    });
  });
  // One that could not be taken in (no descriptor is left) ends no process.
  server.on('error', (error) => log.warn('the dashboard took no connection', { reason: messageOf(error) }));
  server.on('upgrade', (request: IncomingMessage, socket: NodeDuplex, head: Uint8Array) => {
    // Node lets go of it with the upgrade: until somebody reads, a viewer who breaks off would end the process.
    socket.on('error', () => undefined);
    answerUpgrade(world, request, { socket, head }).catch((error: unknown) => {
      if (!socket.destroyed) {
        log.warn('the dashboard could not open a stream', { path: request.url ?? '', reason: messageOf(error) });
      }
      socket.destroy();
    });
  });
  scope.defer(async () => {
    server.closeAllConnections();
    server.close();
    await sessions.close();
  });
  const url = `${tls === undefined ? 'http' : 'https'}://${hostPort(host, port)}/`;
  return { url, port, link: (open) => `${url}#code=${sessions.issueCode(open)}` };
}

async function answer(world: DashboardWorld, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isOwn(request.headers, world.hosts)) return refuse(response, 403, 'this page is not for you');
  const [path = '/'] = (request.url ?? '/').split('?');
  const judgement = judgePath(path);
  if (judgement === 'refused') return refuse(response, 403, 'what is behind a proxy has an origin of its own');
  if (judgement === 'passed') return passOn(world, request, response);
  if (path === '/session') return serveSession(world, request, response);
  if (isForwardPath(path)) return serveForwards(world, request, response);
  return sendFile(await world.files(), path, { request, response });
}

function refuse(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { ...DATA_HEADERS, 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}
