import type { IncomingMessage } from 'node:http';
import type { Duplex as NodeDuplex } from 'node:stream';
import { joinDuplex, StreamCutError } from '@binnacle/base';
import { duplexOf, nodeHttp } from '@binnacle/base/node';
import { acceptWebSocket } from '@binnacle/streams/node';
import type { Messages } from '@binnacle/streams';
import type { UpgradeReply } from '../catalogue/definition.ts';
import { Http1Writer } from './reply-writer.ts';
import type { ReplyWriter } from './reply-writer.ts';

/** How long the other side has to take what a client had said before it went away. */
const LEFT_MS = 30_000;

/**
 * Drops a stream so many milliseconds after its client's connection has closed: a command that never reads its input
 * would hold what the client had said for as long as it runs. The answer calls it off.
 */
export function dropAfter(
  socket: Pick<NodeDuplex, 'once'>,
  stream: Pick<UpgradeReply['stream'], 'abort'>,
  ms: number,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  socket.once('close', () => {
    if (!isOver) timer = setTimeout(() => stream.abort(new StreamCutError('the client has gone')), ms);
  });
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** The connection of an `upgrade` event: it takes an ordinary reply too, and ends behind it. */
export class UpgradeWriter extends Http1Writer {
  readonly #message: IncomingMessage;
  readonly #socket: NodeDuplex;
  readonly #head: Uint8Array;

  constructor(message: IncomingMessage, socket: NodeDuplex, head: Uint8Array) {
    const response = new (nodeHttp().ServerResponse)(message);
    response.shouldKeepAlive = false;
    // A socket of a server is what it is.
    response.assignSocket(socket as Parameters<typeof response.assignSocket>[0]);
    response.once('finish', () => socket.end());
    super(response);
    this.#message = message;
    this.#socket = socket;
    this.#head = head;
  }

  /** Says yes in the words of the other side, and hands the connection to it. Ends with both. */
  async change({ headers, stream }: UpgradeReply): Promise<void> {
    this.#detach();
    const lines = Object.entries(headers)
      .filter(([name]) => name !== 'connection')
      .map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, ' ')}\r\n`);
    this.#socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\n${lines.join('')}\r\n`);
    const stop = dropAfter(this.#socket, stream, LEFT_MS);
    await joinDuplex(duplexOf(this.#socket, this.#head), stream);
    stop();
  }

  /** Changes to a WebSocket of this server's own; undefined when the handshake was none, which the client was told. */
  accept(protocol: string): Promise<Messages | undefined> {
    this.#detach();
    return acceptWebSocket(this.#message, { socket: this.#socket, head: this.#head }, protocol);
  }

  #detach(): void {
    this.sink.detachSocket(this.#socket as Parameters<typeof this.sink.detachSocket>[0]);
  }
}

/** HTTP/2 has no upgrades of this sort: its clients never get here with one. */
export async function respondUpgrade(reply: UpgradeReply, writer: ReplyWriter): Promise<void> {
  if (writer instanceof UpgradeWriter && !writer.gone) {
    await writer.change(reply);
    return;
  }
  reply.stream.abort();
  if (!writer.gone) writer.sink.destroy();
}
