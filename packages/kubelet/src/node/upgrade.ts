import type { IncomingMessage } from 'node:http';
import type { Duplex as NodeDuplex } from 'node:stream';
import { TurnBudget } from '@binnacle/base';
import type { Clock, Duplex } from '@binnacle/base';
import { duplexOf, realClock } from '@binnacle/base/node';
import {
  agreeOnProtocol,
  commandOverSpdy,
  commandOverWebSocket,
  commandProtocol,
  FORWARD_PROTOCOL,
  FORWARD_TUNNEL_PROTOCOL,
  forwardPorts,
  serveForwardOverSpdy,
  serveForwardOverWebSocket,
  SPDY_COMMAND_PROTOCOLS,
  tunnelOver,
  WEBSOCKET_COMMAND_PROTOCOLS,
  WEBSOCKET_FORWARD_PROTOCOLS,
} from '@binnacle/streams';
import type { CommandSession, Messages, PortTarget } from '@binnacle/streams';
import { acceptWebSocket, createHeaderCodec } from '@binnacle/streams/node';
import { StreamRefusal } from '../errors.ts';
import type { StreamFlags } from '../server/stream-request.ts';

/** The connection of an `upgrade` event, and who asks on it. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: NodeDuplex;
  readonly head: Uint8Array;
  readonly clock: Clock;
}

/** A client that goes away without a word is found out after some minutes. */
const KEEP_ALIVE_MS = 30_000;
/** Of all streams of this process: whoever sends thousands of empty frames does not hold up the others. */
const turns = new TurnBudget(realClock);

/** Exec or attach in whatever the client speaks. Throws StreamRefusal before the connection has changed. */
export async function openCommand(upgrade: UpgradeRequest, flags: StreamFlags): Promise<CommandSession | undefined> {
  if (isWebSocket(upgrade.request)) {
    const name = agree(upgrade.request, 'sec-websocket-protocol', WEBSOCKET_COMMAND_PROTOCOLS);
    const messages = await acceptMessages(upgrade, name);
    return messages === undefined ? undefined : commandOverWebSocket(messages, commandProtocol(name), flags);
  }
  const name = agreeOnSpdy(upgrade.request, SPDY_COMMAND_PROTOCOLS);
  const carrier = changeToSpdy(upgrade, name);
  const ground = { codec: createHeaderCodec(), clock: upgrade.clock, turns, protocol: commandProtocol(name) };
  return commandOverSpdy(carrier, ground, flags);
}

/** Port-forward in whatever the client speaks; ends with the connection. Throws StreamRefusal as `openCommand`. */
export async function serveForward(
  upgrade: UpgradeRequest,
  ports: readonly string[],
  target: PortTarget,
): Promise<void> {
  // Closed with the connection that it is made for: none is made for one that is refused.
  const overSpdy = (carrier: Duplex): Promise<void> =>
    serveForwardOverSpdy(carrier, { codec: createHeaderCodec(), clock: upgrade.clock, turns }, target);
  if (!isWebSocket(upgrade.request)) {
    const name = agreeOnSpdy(upgrade.request, [FORWARD_PROTOCOL]);
    return overSpdy(changeToSpdy(upgrade, name));
  }
  const name = agree(upgrade.request, 'sec-websocket-protocol', WEBSOCKET_FORWARD_PROTOCOLS);
  if (name === FORWARD_TUNNEL_PROTOCOL) {
    const tunnel = await acceptMessages(upgrade, name);
    return tunnel === undefined ? undefined : overSpdy(tunnelOver(tunnel));
  }
  const numbers = forwardPorts(ports, name);
  if (typeof numbers === 'string') throw new StreamRefusal(400, numbers);
  const messages = await acceptMessages(upgrade, name);
  return messages === undefined
    ? undefined
    : serveForwardOverWebSocket({ messages, clock: upgrade.clock }, numbers, target);
}

/** Answers in HTTP on a connection that does not change. */
export function refuseUpgrade(socket: NodeDuplex, status: number, text: string): void {
  const body = `${text}\n`;
  const head = `content-type: text/plain; charset=utf-8\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_TEXTS[status] ?? 'Error'}\r\n${head}\r\n\r\n${body}`);
}

const STATUS_TEXTS: { readonly [status: number]: string } = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  500: 'Internal Server Error',
};

function isWebSocket(request: IncomingMessage): boolean {
  return (request.headers.upgrade ?? '').toLowerCase() === 'websocket';
}

function agree(request: IncomingMessage, header: string, spoken: readonly string[]): string {
  const value = request.headers[header];
  const agreed = agreeOnProtocol(Array.isArray(value) ? value.join(',') : (value ?? ''), spoken);
  if ('refusal' in agreed) throw new StreamRefusal(403, agreed.refusal);
  return agreed.name;
}

function agreeOnSpdy(request: IncomingMessage, spoken: readonly string[]): string {
  if ((request.headers.upgrade ?? '').toLowerCase() !== 'spdy/3.1') {
    throw new StreamRefusal(400, 'unable to upgrade: missing upgrade headers in request');
  }
  return agree(request, 'x-stream-protocol-version', spoken);
}

function changeToSpdy({ socket, head }: UpgradeRequest, protocol: string): Duplex {
  keepAlive(socket);
  const chosen = protocol === '' ? '' : `X-Stream-Protocol-Version: ${protocol}\r\n`;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${chosen}\r\n`);
  return duplexOf(socket, head);
}

function acceptMessages({ request, socket, head }: UpgradeRequest, protocol: string): Promise<Messages | undefined> {
  keepAlive(socket);
  return acceptWebSocket(request, { socket, head }, protocol);
}

function keepAlive(socket: NodeDuplex): void {
  if ('setKeepAlive' in socket && typeof socket.setKeepAlive === 'function') socket.setKeepAlive(true, KEEP_ALIVE_MS);
  if ('setNoDelay' in socket && typeof socket.setNoDelay === 'function') socket.setNoDelay(true);
}
