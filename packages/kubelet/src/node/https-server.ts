import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex as NodeDuplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { messageOf } from '@binnacle/base';
import type { Clock, Logger, Scope } from '@binnacle/base';
import { certifiedCaller, ConnectionBound, listenWithin } from '@binnacle/base/node';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import type { Kubelet } from '../kubelet.ts';
import { Access, LocalAccess } from '../server/access.ts';
import type { AccessRefusal, Gatekeeper } from '../server/access.ts';
import { answerRequest } from '../server/answer.ts';
import { smallText } from '../server/small-text.ts';
import { sendAnswer } from './send-answer.ts';
import { serveStreams } from './serve-upgrade.ts';
import { refuseUpgrade } from './upgrade.ts';
import type { UpgradeRequest } from './upgrade.ts';

/** A certificate and its key, PEM. */
export interface ServingPair {
  readonly certificate: string;
  readonly key: string;
}

/** What the kubelet's port needs. */
export interface KubeletServerOptions {
  readonly kubelet: Kubelet;
  /** Asked who callers are and what they may. Absent: whom the authority vouches for may everything. */
  readonly client?: Client;
  /** PEM. Absent: it has none yet, and nobody can speak to it. */
  readonly pair?: ServingPair;
  /** Tells whoever follows of each newer pair: it is shown from then on. */
  readonly renewals?: (use: (pair: ServingPair) => void) => void;
  /**
   * PEM of the authority of client certificates. Absent: there are none; without a client as well, anybody may read,
   * and nobody more: for loopback addresses only.
   */
  readonly clientCa?: string;
  readonly host: string;
  /** 0: any. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly scope: Scope;
}

/** More are open at once only where somebody floods: the API server needs a few, and each stream has one. */
const CONNECTIONS_MAX = 1024;
/** Upstream's, for handshakes and heads of requests, and for connections that nothing is asked on. */
const HEAD_DEADLINE_MS = 32_000;
const IDLE_MS = 90_000;

/** The kubelet's HTTPS port: every request is authenticated and authorised. Answers with the port it listens on; the Node tells it from the next status on. */
export async function serveKubelet(options: KubeletServerOptions): Promise<{ readonly port: number }> {
  const { pair, clientCa, host, port, scope, kubelet, client, clock, log } = options;
  const access =
    client === undefined
      ? new LocalAccess(clientCa === undefined)
      : new Access({ client, nodeName: kubelet.nodeName, clock, log });
  const trust = {
    // Without an authority of ours, Node would believe certificates of every public one.
    ...(clientCa === undefined ? {} : { ca: clientCa, allowPartialTrustChain: true, requestCert: true }),
    minVersion: 'TLSv1.2',
  } as const;
  const shown = (of: ServingPair | undefined) => ({ cert: of?.certificate, key: of?.key, ...trust });
  const server = createServer({
    ...shown(pair),
    rejectUnauthorized: false,
    handshakeTimeout: HEAD_DEADLINE_MS,
    headersTimeout: HEAD_DEADLINE_MS,
    keepAliveTimeout: IDLE_MS,
  });
  options.renewals?.((newer) => server.setSecureContext(shown(newer)));
  const connections = new ConnectionBound(CONNECTIONS_MAX);
  server.on('connection', (socket) => connections.add(socket as Socket));
  const serving = { ...options, access, connections };
  server.on('request', (request, response) => {
    handle(serving, request, response).catch((error: unknown) => {
      log.warn('A request to the kubelet failed', { url: request.url, reason: messageOf(error) });
      response.destroy();
    });
  });
  const upgraded = new Set<NodeDuplex>();
  server.on('upgrade', (request: IncomingMessage, socket: NodeDuplex, head: Uint8Array) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    // Whoever reads or writes hears of it.
    socket.on('error', () => undefined);
    serveUpgrade(serving, { request, socket, head, clock }).catch((error: unknown) => {
      log.warn('A stream of the kubelet failed', { url: request.url, reason: messageOf(error) });
      socket.destroy();
    });
  });
  const cutOff = (): void => {
    for (const socket of upgraded) socket.destroy();
    connections.close();
  };
  await listenWithin(scope, server, { port, host, cutOff });
  const bound = (server.address() as AddressInfo).port;
  kubelet.listensOn(bound);
  return { port: bound };
}

type Serving = KubeletServerOptions & {
  readonly access: Gatekeeper;
  readonly connections: Pick<ConnectionBound, 'know'>;
};

interface Admitted {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Who asks, and whether they may. */
async function admit(
  { access, connections, clock }: Serving,
  request: IncomingMessage,
): Promise<Admitted | AccessRefusal> {
  const url = URL.parse(request.url ?? '/', 'https://kubelet');
  const path = url === null ? undefined : decodePath(url.pathname);
  if (url === null || path === undefined) return { status: 400, text: 'Bad Request' };
  const method = request.method ?? 'GET';
  const user = await authenticate({ access, clock }, request);
  if (user === undefined) return { status: 401, text: 'Unauthorized' };
  const refusal = await access.authorize(user, method, path);
  if (user !== access.anonymous) connections.know(request.socket);
  return refusal ?? { method, path, query: url.searchParams };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // Percent signs that stand for nothing.
    return undefined;
  }
}

async function serveUpgrade(options: Serving, upgrade: UpgradeRequest): Promise<void> {
  const admitted = await admit(options, upgrade.request);
  if ('status' in admitted) refuseUpgrade(upgrade.socket, admitted.status, admitted.text);
  else await serveStreams(options.kubelet, upgrade, admitted);
}

async function handle(options: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const admitted = await admit(options, request);
  if ('status' in admitted) return plain(response, admitted.status, admitted.text);
  const { method, path, query } = admitted;
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  const { accept = '' } = request.headers;
  const of = { method, path, query: new Map(query), accept, text: () => smallText(request), signal: abort.signal };
  const answer = await answerRequest(options.kubelet, of, options.clock.now());
  await sendAnswer(response, answer, abort.signal);
  return undefined;
}

/** A certificate of our authority, else a bearer token that the API server knows. */
async function authenticate(
  { access, clock }: Pick<Serving, 'access' | 'clock'>,
  request: IncomingMessage,
): Promise<UserInfo | undefined> {
  const shown = certifiedCaller(request.socket as TLSSocket, clock.now());
  if (shown !== undefined) return shown;
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return bearer === undefined ? access.anonymous : access.authenticate(bearer);
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}
