import { Socket } from 'node:net';
import { CatalogueError } from '../error.ts';
import { DIAL_TIMEOUT, HANDSHAKE_TIMEOUT } from '../http-errors.ts';

/** As Go's clients wait: to be connected, and then for the handshake. */
const DIAL_MS_MAX = 30_000;
const HANDSHAKE_MS_MAX = 10_000;

/** Nobody takes the connection, or who took it does not answer the handshake. */
class OpeningTimeoutError extends CatalogueError {
  constructor(code: typeof DIAL_TIMEOUT | typeof HANDSHAKE_TIMEOUT) {
    super(code, code === DIAL_TIMEOUT ? 'i/o timeout' : 'net/http: TLS handshake timeout');
  }
}

/**
 * Destroys a connection that is not there within half a minute, or whose handshake is not over ten seconds later: whoever waits for
 * a reply waits for one that was asked for. One that is there already, and what is no socket, are left alone.
 */
export function limitOpening(socket: unknown): void {
  if (!(socket instanceof Socket)) return;
  if (socket.connecting) {
    const settle = giveUpAfter(socket, DIAL_MS_MAX, DIAL_TIMEOUT);
    socket.once('connect', () => {
      settle();
      limitHandshake(socket);
    });
  } else {
    limitHandshake(socket);
  }
}

function limitHandshake(socket: Socket): void {
  if (!('secureConnecting' in socket) || socket.secureConnecting !== true) return;
  const settle = giveUpAfter(socket, HANDSHAKE_MS_MAX, HANDSHAKE_TIMEOUT);
  socket.once('secureConnect', settle);
}

function giveUpAfter(socket: Socket, ms: number, code: typeof DIAL_TIMEOUT | typeof HANDSHAKE_TIMEOUT): () => void {
  const timer = setTimeout(() => socket.destroy(new OpeningTimeoutError(code)), ms);
  const settle = (): void => clearTimeout(timer);
  socket.once('close', settle);
  return settle;
}
