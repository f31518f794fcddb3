import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createSecureServer } from 'node:http2';
import type { Http2SecureServer, Http2Session, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { Clock } from '@binnacle/base';
import { ConnectionBound, realClock } from '@binnacle/base/node';
import { speaksOfUsers } from '../access/request-headers.ts';
import type { RequestHeaderSettings } from '../ports/authentication-settings.ts';
import type { Answer } from '../pipeline/pipeline.ts';
import type { ApiServer } from '../server.ts';
import { takeBearerProtocol } from './bearer-protocol.ts';
import { BodyReader } from './body-reader.ts';
import { ClientCertificates } from './client-certificates.ts';
import { ConnectionCredentials } from './connection-credentials.ts';
import { HttpRequest } from './http-request.ts';
import type { HttpWorld } from './http-request.ts';
import { Http1Parts, Http2Parts, UpgradeParts } from './request-parts.ts';
import type { Http2Head } from './request-parts.ts';
import { Http1Writer, Http2Writer } from './reply-writer.ts';
import type { ReplyWriter } from './reply-writer.ts';
import { ResetBudget } from './reset-budget.ts';
import { respond } from './respond.ts';
import { UpgradeWriter } from './respond-upgrade.ts';
import type { TlsChoice } from './tls-choice.ts';
import { YamlThread } from './yaml-thread.ts';
import type { ApiRequest } from '../request/api-request.ts';

/** Where to listen, and with which identity. */
export interface ListenerOptions {
  readonly server: ApiServer;
  /** Address to listen on; port 0 takes any. */
  readonly host: string;
  readonly port: number;
  /** PEM: the server's certificate chain and key, and the CA whose client certificates are believed. */
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string;
  /** Front proxies that may say who asks. Absent: nobody may. */
  readonly requestHeaders?: RequestHeaderSettings;
  /** Which versions and ciphers clients may speak; absent: the machine's. */
  readonly tls?: TlsChoice;
  /** What deadlines go by; default the machine's. */
  readonly clock?: Clock;
}

/** A listener that stands. */
export interface Listener {
  readonly port: number;
  readonly address: string;
  /** From the next handshake on; PEM. Throws what Node throws for a pair that does not fit, and leaves what was. */
  useCertificate(pair: { readonly cert: string; readonly key: string }): void;
  /** Takes no more connections and ends those that are open. */
  close(): Promise<void>;
}

// Clients cancel watches by the thousand: Node's default of 1,000 resets in a burst would cut them off. Requests that
// were not answered yet have a budget of their own.
const RESET_BURST = 100_000;
const RESET_RATE = 10_000;
/** Requests at a time on one connection, as upstream: one chunk may bring all of them into one turn. Who has more opens another. */
const STREAMS_MAX = 100;
/**
 * Without a bound: Node counts what a broken-off stream had left to write for ever, so that any bound ends a connection
 * after enough cancelled watches. What waits to be sent is bounded by the watchers' bytes and by lists going out in pieces.
 */
const SESSION_MEMORY_MB = 1_000_000;
const ENHANCE_YOUR_CALM = constants.NGHTTP2_ENHANCE_YOUR_CALM;
/** A handshake and a head that take longer are given up (upstream's ReadHeaderTimeout); idle connections stay open longer than a client's own pool keeps them. */
const HEAD_DEADLINE_MS = 32_000;
const IDLE_MS = 90_000;
/** A client of a stream that goes away without a word is found out after some minutes. */
const KEEP_ALIVE_MS = 30_000;
/** What Go's server takes. Of HTTP/2 a single header of more than 64 KiB is refused by Node's library. */
const HEAD_BYTES_MAX = 1 << 20;
const HEADER_LINES_MAX = 2000;
/** Node hands them on to its HTTP/1.1 half; its types do not say so. */
const HTTP1 = { maxHeaderSize: HEAD_BYTES_MAX };
/** Beyond them those go that nobody is known on: the process has other use for its file descriptors. */
const CONNECTIONS_MAX = 8192;
/** Room for a burst of list pieces per stream, so that a reply is not throttled to 64 KiB per round trip. */
const WINDOW_BYTES = 1 << 20;

/** As Go checks: whatever stands in the bundle is believed, also where it is no authority of its own. */
function trustOf(options: ListenerOptions): Pick<SecureContextOptions, 'ca' | 'allowPartialTrustChain'> {
  const { clientCa, requestHeaders } = options;
  // Clients show a certificate only where its authority is among those that they are told of.
  return {
    ca: [clientCa, ...(requestHeaders === undefined ? [] : [requestHeaders.clientCa])],
    allowPartialTrustChain: true,
  };
}

/** One port for HTTP/1.1 and HTTP/2 (by ALPN) over TLS. Client certificates are asked for, not demanded. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.cert,
    key: options.key,
    ...trustOf(options),
    ...options.tls,
    requestCert: true,
    rejectUnauthorized: false,
    streamResetBurst: RESET_BURST,
    streamResetRate: RESET_RATE,
    maxSessionMemory: SESSION_MEMORY_MB,
    handshakeTimeout: HEAD_DEADLINE_MS,
    ...HTTP1,
    maxHeaderListPairs: HEADER_LINES_MAX,
    settings: {
      maxHeaderListSize: HEAD_BYTES_MAX,
      maxConcurrentStreams: STREAMS_MAX,
      initialWindowSize: WINDOW_BYTES,
      enablePush: false,
    },
  });
  Object.assign(server, { headersTimeout: HEAD_DEADLINE_MS, keepAliveTimeout: IDLE_MS });
  const yaml = new YamlThread(options.clock ?? realClock);
  const endAll = serveOn(server, { ...options, yaml });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port, address } = server.address() as AddressInfo;
  return {
    port,
    address,
    useCertificate: (pair) => server.setSecureContext({ ...pair, ...trustOf(options), ...options.tls }),
    async close() {
      const closed = once(server, 'close');
      server.close();
      endAll();
      await yaml.close();
      await closed;
    },
  };
}

/** Answers with what ends all connections. */
function serveOn(server: Http2SecureServer, options: ListenerOptions & { readonly yaml: YamlThread }): () => void {
  const { server: api, clock = realClock, requestHeaders, yaml } = options;
  const clients = new ClientCertificates(options, clock);
  const speaking = requestHeaders === undefined ? undefined : speaksOfUsers(requestHeaders);
  const world: HttpWorld = { bodies: new BodyReader(clock), yaml, speaksOfUsers: speaking };
  const connections = new Set<Socket | ServerHttp2Session>();
  const bound = new ConnectionBound(CONNECTIONS_MAX);
  server.on('connection', (socket: Socket) => bound.add(socket));
  const known = credentialsOf(clients, bound);
  // Keeps Node from building a compatibility request for every HTTP/2 stream when `request` is listened to.
  server.removeAllListeners('newListener');
  const onAborted = refuseResets(clock);
  server.on('stream', (stream: ServerHttp2Stream, ...head: Http2Head) => {
    const { session } = stream;
    if (session === undefined) return;
    stream.on('error', ignore);
    const parts = new Http2Parts(stream, head, known(session));
    // Read to its end: else Node keeps a stream that its client broke off with NO_ERROR until all is written, which is never.
    if (parts.body === undefined) stream.resume();
    exchange(api, { request: new HttpRequest(parts, world), connection: parts.connection }, new Http2Writer(stream));
    // What was answered at once nobody can take back unanswered.
    if (!stream.headersSent) stream.on('aborted', onAborted);
  });
  server.on('request', (message: IncomingMessage, response: ServerResponse) => {
    message.on('error', ignore);
    response.on('error', ignore);
    const parts = new Http1Parts(message, response, known(message.socket));
    exchange(api, { request: new HttpRequest(parts, world), connection: parts.connection }, new Http1Writer(response));
  });
  serveUpgrades(server, { api, world, known });
  follow(server, connections);
  server.on('tlsClientError', () => api.replying.figures.handshakeFailed());
  return () => {
    for (const connection of connections) connection.destroy();
    bound.close();
  };
}

/**
 * What happens when a client takes a request back: one that takes back too many unanswered ones loses its connection.
 * The budget of a connection is made at its first.
 */
function refuseResets(clock: Clock): (this: ServerHttp2Stream) => void {
  const budgets = new WeakMap<Http2Session, ResetBudget>();
  return function onAborted() {
    const { session } = this;
    if (this.headersSent || session === undefined) return;
    let budget = budgets.get(session);
    if (budget === undefined) budgets.set(session, (budget = new ResetBudget(clock)));
    if (budget.take()) return;
    session.goaway(ENHANCE_YOUR_CALM);
    session.destroy();
  };
}

/** What is known of a connection, found out once. */
function credentialsOf(
  clients: ClientCertificates,
  bound: ConnectionBound,
): (connection: Socket | Http2Session) => ConnectionCredentials {
  const credentials = new WeakMap<object, ConnectionCredentials>();
  // The socket of an HTTP/2 session is a proxy, made anew whenever it is asked for.
  return (connection) => {
    let found = credentials.get(connection);
    if (found === undefined) {
      const socket = 'socket' in connection ? connection.socket : connection;
      const { remoteAddress, remotePort } = socket;
      found = new ConnectionCredentials(clients.shownOn(socket as TLSSocket), () =>
        bound.know({ remoteAddress, remotePort }),
      );
      credentials.set(connection, found);
    }
    return found;
  };
}

/** Keeps the set to what is open. */
function follow(server: Http2SecureServer, connections: Set<Socket | ServerHttp2Session>): void {
  server.on('session', (session) => {
    connections.add(session);
    session.on('error', ignore);
    session.once('close', () => connections.delete(session));
  });
  server.on('secureConnection', (socket) => {
    socket.setNoDelay(true);
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('sessionError', ignore);
}

interface UpgradeWorld {
  readonly api: ApiServer;
  readonly world: HttpWorld;
  readonly known: (connection: Socket) => ConnectionCredentials;
}

function serveUpgrades(server: Http2SecureServer, of: UpgradeWorld): void {
  // Other upgrades (h2c, say) are ordinary requests that somebody would rather make otherwise.
  Object.assign(server, { shouldUpgradeCallback: isStreamUpgrade });
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Uint8Array) => {
    socket.on('error', ignore);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    takeBearerProtocol(message);
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const parts = new UpgradeParts(message, socket, of.known(socket));
    const request = new HttpRequest(parts, of.world, gone.signal);
    exchange(of.api, { request, connection: parts.connection }, new UpgradeWriter(message, socket, head));
  });
}

/** What exec, attach, port-forward and proxies change to. */
function isStreamUpgrade({ headers, url = '' }: IncomingMessage): boolean {
  const protocol = (headers.upgrade ?? '').toLowerCase();
  if (protocol === 'websocket' || protocol.startsWith('spdy/')) return true;
  return PROXIED.test(url) && protocol !== '' && protocol !== 'h2c';
}

/** Whoever is behind a proxy may change to whatever it likes. */
const PROXIED = /^\/api\/[^?]*\/proxy(?:[/?]|$)/;

/** Clients go away at any time: whoever waits for something hears of it by `close`. */
function ignore(): void {}

/** The group of all who have said who they are. */
const AUTHENTICATED = 'system:authenticated';

/** A request, and what is known of the connection on which it came. */
interface Incoming {
  readonly request: ApiRequest;
  readonly connection: ConnectionCredentials;
}

function exchange(api: ApiServer, { request, connection }: Incoming, writer: ReplyWriter): void {
  const answered = (answer: Answer): void => {
    if (connection.isStranger && answer.exchange.user.groups.includes(AUTHENTICATED)) connection.known();
    respond(api.replying, answer, writer);
  };
  const dropped = (error: unknown): void => {
    api.replying.log.error(error, 'a request was dropped', { path: request.path });
    if (!writer.gone) writer.sink.destroy();
  };
  try {
    const answer = api.handle(request);
    if (answer instanceof Promise) answer.then(answered).catch(dropped);
    else answered(answer);
  } catch (error) {
    dropped(error);
  }
}
