import { createSocket } from 'node:dgram';
import type { RemoteInfo, Socket as DatagramSocket } from 'node:dgram';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, isIP } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { TurnBudget } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { Resolver } from '../resolver.ts';
import { ConnectionPlaces } from './connection-places.ts';
import { MessageSplitter, withLength } from './framing.ts';

/** Connections at once; one more closes the quietest of whoever has most. */
const CONNECTIONS_MAX = 500;
/** A connection without a question is closed (RFC 7766, 6.2.3 asks for seconds). */
const IDLE_MS = 10_000;
/** Questions of one connection that are being answered; more wait in its socket. */
const PIPELINE_MAX = 100;

/** Where to listen, and who answers. */
export interface DnsListenerOptions {
  readonly resolver: Resolver;
  readonly host: string;
  /** 0: any, the same for both transports. */
  readonly port: number;
  readonly log: Logger;
  /** Whether a client of this address is answered; others hear nothing. Absent: everybody is. */
  readonly letsIn?: (address: string) => boolean;
}

/** A name server that listens. */
export interface DnsListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Answers over UDP and TCP on one address. Throws what listening throws. */
export async function listenDns(options: DnsListenerOptions): Promise<DnsListener> {
  // Who has asked all may say so, and waits for the answers.
  const streams = createServer({ allowHalfOpen: true });
  const places = serveStreams(streams, options);
  streams.listen(options.port, options.host);
  await once(streams, 'listening');
  const { port } = streams.address() as AddressInfo;
  const datagrams = createSocket({
    type: options.host.includes(':') ? 'udp6' : 'udp4',
    // Answers go to addresses: Node would look each up again, and in a later turn.
    lookup: (host, options, found) => {
      const family = isIP(host);
      if (family === 0) lookup(host, options, found);
      else found(null, host, family);
    },
  });
  try {
    const listening = once(datagrams, 'listening');
    datagrams.bind(port, options.host);
    await listening;
  } catch (error) {
    streams.close();
    throw error;
  }
  serveDatagrams(datagrams, options);
  return {
    port,
    async close() {
      const closed = [once(streams, 'close'), once(datagrams, 'close')];
      streams.close();
      datagrams.close();
      for (const connection of places.open) connection.destroy();
      await Promise.all(closed);
    },
  };
}

/** Answers what comes to a socket, for as long as it is open. */
export function serveDatagrams(
  socket: DatagramSocket,
  { resolver, log, letsIn }: Pick<DnsListenerOptions, 'resolver' | 'log' | 'letsIn'>,
): void {
  let open = true;
  socket.once('close', () => {
    open = false;
  });
  // One for all answers: tens of thousands a second would be much garbage.
  const sent = (error: Error | null): void => {
    // A client that cannot be reached has gone. The message says who.
    if (error !== null) log.info(4, 'an answer was not sent', { reason: error.message });
  };
  const send = (answer: Uint8Array, to: RemoteInfo): void => {
    if (open) socket.send(answer, to.port, to.address, sent);
  };
  socket.on('error', (error) => log.warn('the socket of DNS', { reason: error.message }));
  socket.on('message', (message, from) => {
    // Who asks from port 0 wants no answer (RFC 768), and Node throws at the wish to send one.
    if (from.port === 0 || letsIn?.(from.address) === false) return;
    const answer = resolver.answer(message, 'udp', from.address);
    if (answer === undefined) return;
    if (!(answer instanceof Promise)) return send(answer, from);
    // No more than the forwarder lets wait.
    answer
      .then((made) => send(made, from))
      .catch((error: unknown) => log.error(error, 'a question was not answered', { from: from.address }));
  });
}

function serveStreams(server: Server, options: DnsListenerOptions): ConnectionPlaces<Socket> {
  const { log, letsIn } = options;
  const places = new ConnectionPlaces<Socket>(CONNECTIONS_MAX);
  const turns = new TurnBudget(realClock);
  server.on('error', (error) => log.warn('the socket of DNS', { reason: error.message }));
  server.on('connection', (socket) => {
    const client = socket.remoteAddress ?? '';
    if (letsIn?.(client) === false) {
      socket.on('error', (error) => log.info(4, 'a connection broke', { reason: error.message }));
      socket.destroy();
      return;
    }
    places.enter(socket, client)?.destroy();
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('error', (error) => log.info(4, 'a connection broke', { reason: error.message }));
    socket.once('close', () => places.leave(socket));
    serveStream(socket, { ...options, client, turns, asked: () => places.asked(socket) });
  });
  return places;
}

interface StreamWorld extends DnsListenerOptions {
  readonly client: string;
  readonly turns: TurnBudget;
  readonly asked: () => void;
}

/** Answers one connection's questions: no faster than its client takes the answers, nor than others get their turns. */
function serveStream(socket: Socket, { resolver, log, client, turns, asked }: StreamWorld): void {
  const splitter = new MessageSplitter();
  let answering = 0;
  let isTaking = false;
  /** No whole question waits. */
  let isEmpty = true;
  let hasAskedAll = false;
  const mayTake = (): boolean => socket.writable && !socket.writableNeedDrain && answering < PIPELINE_MAX;
  const send = (answer: Uint8Array): void => {
    answering--;
    if (socket.writable) socket.write(withLength(answer));
    take();
    endWithLast();
  };
  const endWithLast = (): void => {
    if (hasAskedAll && isEmpty && answering === 0) socket.end();
  };
  const failed = (error: unknown): void => {
    log.error(error, 'a question was not answered', { from: client });
    socket.destroy();
  };
  const answer = (message: Uint8Array): void => {
    asked();
    const made = resolver.answer(message, 'tcp', client);
    if (made === undefined) {
      socket.destroy();
      return;
    }
    answering++;
    if (made instanceof Promise) made.then(send).catch(failed);
    else send(made);
  };
  const takeAll = async (): Promise<void> => {
    while (mayTake()) {
      const message = splitter.next();
      if (message === undefined) {
        isEmpty = true;
        socket.resume();
        break;
      }
      await turns.take();
      answer(message);
    }
    isTaking = false;
    endWithLast();
  };
  const take = (): void => {
    if (isTaking) return;
    isTaking = true;
    takeAll().catch(failed);
  };
  socket.on('data', (chunk: Buffer) => {
    splitter.push(chunk);
    isEmpty = false;
    socket.pause();
    take();
  });
  socket.on('drain', take);
  // Comes also while questions wait that were read before.
  socket.once('end', () => {
    hasAskedAll = true;
    endWithLast();
  });
}
