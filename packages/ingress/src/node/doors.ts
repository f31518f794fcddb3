import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { ClientCount, messageOf, plainAddress } from '@binnacle/base';
import { nodeHttp } from '@binnacle/base/node';
import type { DoorAnswer, DoorKind, Doors, Traffic } from '../ports.ts';
import { Gateway } from './gateway.ts';
import type { GatewayOptions } from './gateway.ts';
import { IDLE_MS_MAX } from './passage.ts';
import { TlsContexts } from './tls-contexts.ts';

/** The node's doors. */
export interface DoorsOptions extends Omit<GatewayOptions, 'traffic'> {
  readonly ports: Doors['ports'];
  /** Whether a client is served at all; asked once a connection. */
  readonly letsIn: (address: string) => boolean;
  /** PEM, its key of an elliptic curve: shown to who asks for a name that no Secret is for. Asked for once TLS is opened. */
  readonly fallback: () => Promise<{ readonly certificate: string; readonly key: string }>;
}

/** One open listener. */
interface Door {
  readonly server: Server | Http2SecureServer;
  readonly sockets: Set<Socket>;
  readonly sessions: Set<ServerHttp2Session>;
  readonly port: number;
}

/** A head that takes longer is given up, and so is an idle connection. */
const HEAD_MS_MAX = 30_000;
const IDLE_MS = 75_000;
const HEAD_BYTES_MAX = 64 * 1024;
const HEADER_LINES_MAX = 200;
const STREAMS_MAX = 256;
/**
 * So much of a body may come by HTTP/2 before its beginning is taken: what a client sends in the time of a way there and back. Each
 * request under way may have so much waiting.
 */
const WINDOW_BYTES = 256 * 1024;
const CONNECTIONS = { max: 4096, perClientMax: 1024 };
const SESSION_WINDOW_BYTES = 4 * WINDOW_BYTES;
/** Replies under way when a door closes have so long. */
const GRACE_MS = 2_000;

/** Listeners on all addresses of the machine, which open on demand. What they hold is bounded, in all and for each client. */
export function makeDoors(options: DoorsOptions, traffic: Traffic): Doors {
  const open = new Map<DoorKind, Door>();
  const count = new ClientCount(CONNECTIONS);
  const contexts = new TlsContexts(traffic);
  let gateway: Gateway | undefined;
  const openDoor = async (kind: DoorKind): Promise<DoorAnswer> => {
    const there = open.get(kind);
    if (there !== undefined) return { port: there.port };
    gateway ??= new Gateway({ ...options, traffic });
    const server = kind === 'http' ? plainServer() : await secureServer(options, contexts);
    const door = { server, sockets: new Set<Socket>(), sessions: new Set<ServerHttp2Session>() };
    guard(door, { letsIn: options.letsIn, count });
    serve(server, gateway);
    try {
      server.listen(options.ports[kind]);
      await once(server, 'listening');
    } catch (error) {
      return { refused: messageOf(error) };
    }
    const { port } = server.address() as AddressInfo;
    open.set(kind, { ...door, port });
    return { port };
  };
  return {
    ports: options.ports,
    open: openDoor,
    refusalOf: (pair) => contexts.refusalOf(pair),
    async close() {
      const doors = [...open.values()];
      open.clear();
      await Promise.all(doors.map(closeDoor));
      gateway?.close();
      gateway = undefined;
    },
  };
}

const LIMITS = { maxHeaderSize: HEAD_BYTES_MAX, connectionsCheckingInterval: 5_000 };
const DEADLINES = { headersTimeout: HEAD_MS_MAX, requestTimeout: 0, keepAliveTimeout: IDLE_MS, timeout: IDLE_MS_MAX };

function plainServer(): Server {
  return Object.assign(nodeHttp().createServer(LIMITS), DEADLINES);
}

/**
 * What the server may sign with, best first. A name's certificate takes the place of the fallback only where both have
 * keys of one sort; else the handshake has both, and takes the first that this list comes upon. The fallback's sort is last.
 */
const SIGNATURES = [
  ...['ed25519', 'ed448'],
  ...['rsa_pss_pss_sha256', 'rsa_pss_pss_sha384', 'rsa_pss_pss_sha512'],
  ...['rsa_pss_rsae_sha256', 'rsa_pss_rsae_sha384', 'rsa_pss_rsae_sha512'],
  ...['rsa_pkcs1_sha256', 'rsa_pkcs1_sha384', 'rsa_pkcs1_sha512'],
  ...['ecdsa_secp256r1_sha256', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512'],
].join(':');

async function secureServer({ fallback }: DoorsOptions, contexts: TlsContexts): Promise<Http2SecureServer> {
  const { certificate: cert, key } = await fallback();
  const server = createSecureServer({
    allowHTTP1: true,
    cert,
    key,
    SNICallback: (name, done) => contexts.choose(name, done),
    sigalgs: SIGNATURES,
    minVersion: 'TLSv1.2',
    handshakeTimeout: HEAD_MS_MAX,
    maxHeaderListPairs: HEADER_LINES_MAX,
    settings: {
      ...{ maxHeaderListSize: HEAD_BYTES_MAX, maxConcurrentStreams: STREAMS_MAX },
      ...{ initialWindowSize: WINDOW_BYTES, enablePush: false },
    },
    ...LIMITS,
  });
  server.setTimeout(IDLE_MS_MAX);
  return Object.assign(server, DEADLINES);
}

function serve(server: Server | Http2SecureServer, gateway: Gateway): void {
  // The two servers have the same event with types of their own.
  const plain = server as Server;
  plain.on('request', (request, response) => gateway.serve(request, response));
  // Other upgrades (h2c, say) would pass by what is checked of each request.
  Object.assign(server, { shouldUpgradeCallback: isWebSocket });
  plain.on('upgrade', (request, socket, head) => gateway.upgrade(request, socket, head));
}

/** One with a body is an ordinary request: nobody would send the body on, and the backend would wait for it. */
function isWebSocket({ method, headers }: IncomingMessage): boolean {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Lets in who may come, as long as there is room. */
function guard(
  { server, sockets, sessions }: Omit<Door, 'port'>,
  by: { readonly letsIn: (address: string) => boolean; readonly count: ClientCount },
): void {
  server.on('connection', (socket: Socket) => {
    const client = plainAddress(socket.remoteAddress ?? '');
    if (client === '' || !by.letsIn(client) || !by.count.enter(client)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => {
      sockets.delete(socket);
      by.count.leave(client);
    });
  });
  (server as Http2SecureServer).on('session', (session) => {
    sessions.add(session);
    // Of all its requests together; settings speak of each.
    session.setLocalWindowSize(SESSION_WINDOW_BYTES);
    session.on('error', () => session.destroy());
    session.once('close', () => sessions.delete(session));
  });
  for (const event of ['sessionError', 'tlsClientError']) {
    // Who speaks nonsense is gone by then.
    server.on(event, () => undefined);
  }
}

async function closeDoor({ server, sockets, sessions }: Door): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const session of sessions) session.close();
  if ('closeIdleConnections' in server) server.closeIdleConnections();
  const late = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, GRACE_MS);
  await closed;
  clearTimeout(late);
}
