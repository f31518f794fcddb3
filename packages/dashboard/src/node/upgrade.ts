import type { IncomingMessage } from 'node:http';
import type { Duplex as NodeDuplex } from 'node:stream';
import { joinDuplex } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import { duplexOf } from '@binnacle/base/node';
import type { OpenedStream } from '@binnacle/machinery';
import { acceptWebSocket } from '@binnacle/streams/node';
import { isTyped } from '../frame-sort.ts';
import { isOwn } from '../headers.ts';
import { judgePath } from '../paths.ts';
import type { Session } from '../sessions.ts';
import { StreamDesk } from '../stream-desk.ts';
import type { DashboardWorld } from './world.ts';

/** A page's WebSockets cannot carry headers: the session's secret comes as one more subprotocol. */
const SECRET = 'session.dashboard.binnacle.dev.';
const STREAMS = 'streams.dashboard.binnacle.dev';
/** What the handshake of the viewer's browser says, and the API server needs to answer it. */
const HANDSHAKE = ['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-extensions'];

interface Connection {
  readonly socket: NodeDuplex;
  readonly head: Uint8Array;
}

/** `/streams`: watches and logs of a page; else a WebSocket of the API (exec, attach), passed through. */
export async function answerUpgrade(
  world: DashboardWorld,
  request: IncomingMessage,
  connection: Connection,
): Promise<void> {
  const offered = String(request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((protocol) => protocol.trim());
  const secret = offered.find((protocol) => protocol.startsWith(SECRET))?.slice(SECRET.length);
  const session = secret === undefined ? undefined : world.sessions.find(secret);
  // Pages always say where they come from when they open a WebSocket.
  const isForeign = !isOwn(request.headers, world.hosts) || request.headers.origin === undefined;
  if (isForeign) return refuse(connection.socket, '403 Forbidden');
  if (session === undefined) return refuse(connection.socket, '401 Unauthorized');
  endWith(session, connection.socket);
  const [path = '/'] = (request.url ?? '/').split('?');
  if (path === '/streams') {
    const messages = await acceptWebSocket(request, connection, STREAMS);
    if (messages !== undefined) await new StreamDesk(messages, session.wire).serve();
    return undefined;
  }
  if (judgePath(path) !== 'passed') return refuse(connection.socket, '403 Forbidden');
  const handshake = HANDSHAKE.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const gone = new AbortController();
  connection.socket.once('close', () => gone.abort());
  const opened = await session.wire.open({
    signal: gone.signal,
    method: 'GET',
    path: request.url ?? '/',
    protocol: 'websocket',
    headers: {
      ...Object.fromEntries(handshake),
      'sec-websocket-protocol': offered.filter((protocol) => !protocol.startsWith(SECRET)).join(', '),
    },
  });
  // Who types into a shell uses his session, however long he asks for nothing else.
  const onTyped = (): void => {
    world.sessions.find(secret ?? '');
  };
  return passThrough(opened, connection, onTyped);
}

/** Who logged out, or whose session was over, keeps no shell and no stream that was opened before. */
function endWith({ scope }: Session, socket: NodeDuplex): void {
  const end = (): void => {
    socket.destroy();
  };
  scope.signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => scope.signal.removeEventListener('abort', end));
}

async function passThrough(
  { headers, stream }: OpenedStream,
  { socket, head }: Connection,
  onTyped: () => void,
): Promise<void> {
  const lines = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'].flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [`${name}: ${String(value)}`];
  });
  const answer = ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: upgrade', ...lines];
  socket.write(`${answer.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) await stream.write(head);
  await joinDuplex(noticed(duplexOf(socket), onTyped), stream);
}

/** Tells of what the viewer sends. */
function noticed(duplex: Duplex, onTyped: () => void): Duplex {
  return {
    async read() {
      const chunk = await duplex.read();
      if (chunk !== undefined && isTyped(chunk)) onTyped();
      return chunk;
    },
    write: (chunk) => duplex.write(chunk),
    end: () => duplex.end(),
    abort: (error) => duplex.abort(error),
    closed: duplex.closed,
  };
}

/** Whoever was told and stays all the same keeps no connection: no deadline of the server's is on it any more. */
function refuse(socket: NodeDuplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}
