import type { IncomingMessage } from 'node:http';
import type { Duplex as NodeDuplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { assert, StreamCutError, StreamEndedError } from '@binnacle/base';
import type { Message, Messages } from '../messages.ts';

/** Of one message. Go's clients send 32 KiB at a time. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** What waits for the reader before the connection is paused; one message may go beyond it. */
const HELD_BYTES_MAX = 64 * 1024;
/** What one message takes beside its bytes, of which it may have none. */
const MESSAGE_BYTES = 128;
/** What waits for the connection before the writer is held back. */
const SENT_BYTES_MAX = 256 * 1024;
/** While nobody reads, nothing but what is sent tells that the other side has gone. */
const PING_MS = 10_000;
const NORMAL_CLOSURE = 1000;

/**
 * Answers a WebSocket handshake on the connection of an `upgrade` event. `protocol`: the one that was chosen of the
 * client's; empty: none. Undefined when the handshake is none; the client has been told then.
 */
export async function acceptWebSocket(
  request: Pick<IncomingMessage, 'method' | 'headers' | 'url'>,
  connection: { readonly socket: NodeDuplex; readonly head: Uint8Array },
  protocol: string,
): Promise<Messages | undefined> {
  // Loaded when the first one comes: most processes never see one.
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // One message a turn: a piece of a stream may hold ten thousand empty ones, and others are served in between.
    allowSynchronousEvents: false,
    maxPayload: MESSAGE_BYTES_MAX,
  });
  // ws takes no protocol with a `/` in its name, as `SPDY/3.1+portforward.k8s.io` has: it hears of none.
  const { 'sec-websocket-protocol': _wished, ...headers } = request.headers;
  if (protocol !== '') server.once('headers', (lines) => void lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
  const { socket, head } = connection;
  return new Promise((resolve) => {
    const refused = (): void => resolve(undefined);
    server.once('wsClientError', (error) => {
      const text = `${error.message}\n`;
      socket.end(`HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
      refused();
    });
    socket.once('close', refused);
    const { method, url } = request;
    server.handleUpgrade(
      { method, url, headers } as IncomingMessage,
      socket,
      Buffer.from(head),
      (opened: WebSocket) => {
        socket.off('close', refused);
        resolve(new SocketMessages(opened, protocol, () => socket.end()));
      },
    );
  });
}

/** An open WebSocket as Messages. `protocol`: where it is known already. */
export function messagesOf(socket: WebSocket, protocol: string = socket.protocol): Messages {
  return new SocketMessages(socket, protocol);
}

interface Reader {
  readonly resolve: (message: Message | undefined) => void;
  readonly reject: (error: Error) => void;
}

class SocketMessages implements Messages {
  readonly protocol: string;
  readonly closed: Promise<Error | undefined>;
  readonly #socket: WebSocket;
  readonly #endConnection: () => void;
  #goodbye = false;
  #held: Message[] = [];
  #heldBytes = 0;
  #reader: Reader | undefined;
  #over = false;
  #error: Error | undefined;

  /** `endConnection`: what the side that was dialled does once it has said goodbye. */
  constructor(socket: WebSocket, protocol: string, endConnection: () => void = () => undefined) {
    this.#socket = socket;
    this.#endConnection = endConnection;
    this.protocol = protocol;
    // Text comes as bytes too: a Buffer of a message's own.
    socket.on('message', (data: RawData, isBinary: boolean) => {
      this.#take({ data: data as Uint8Array, text: !isBinary });
    });
    let failure: Error | undefined;
    socket.on('error', (error) => {
      failure = error;
    });
    const pinging = setInterval(() => {
      if (socket.readyState === socket.OPEN && socket.bufferedAmount < SENT_BYTES_MAX) socket.ping();
    }, PING_MS).unref();
    this.closed = new Promise((resolve) => {
      socket.once('close', (code: number) => {
        clearInterval(pinging);
        // 1005: closed without a code; 1006: not closed at all, only gone.
        const orderly = failure === undefined && (code !== 1006 || this.#goodbye);
        this.#finish(orderly ? undefined : (this.#error ?? new StreamCutError(failure?.message, failure)));
        resolve(this.#error);
      });
    });
  }

  read(): Promise<Message | undefined> {
    const message = this.#held.shift();
    if (message !== undefined) {
      this.#heldBytes -= message.data.length + MESSAGE_BYTES;
      if (this.#heldBytes < HELD_BYTES_MAX && this.#socket.isPaused) this.#socket.resume();
      return Promise.resolve(message);
    }
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#over) return Promise.resolve(undefined);
    assert(this.#reader === undefined, 'one read at a time');
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  write(data: Uint8Array, { text = false }: { readonly text?: boolean } = {}): Promise<void> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#over || this.#socket.readyState !== this.#socket.OPEN) return Promise.reject(new StreamEndedError());
    return new Promise((resolve, reject) => {
      this.#socket.send(data, { binary: !text }, (error) => {
        if (error instanceof Error) reject(new StreamCutError(error.message, error));
        else resolve();
      });
      if (this.#socket.bufferedAmount < SENT_BYTES_MAX) resolve();
    });
  }

  async close(code: number = NORMAL_CLOSURE): Promise<void> {
    this.#held = [];
    this.#heldBytes = 0;
    if (this.#socket.isPaused) this.#socket.resume();
    // ws itself drops a connection whose other side does not say goodbye within 30 s.
    this.#socket.close(code);
    this.#goodbye = true;
    // Clients that wait for the socket and not for the frame (Python's) hear of it by the end of the connection.
    this.#endConnection();
    await this.closed;
  }

  abort(error: Error = new StreamCutError('the WebSocket was dropped')): void {
    if (this.#over) return;
    this.#finish(error);
    this.#socket.terminate();
  }

  #take(message: Message): void {
    if (this.#over || this.#socket.readyState !== this.#socket.OPEN) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve(message);
      return;
    }
    this.#held.push(message);
    this.#heldBytes += message.data.length + MESSAGE_BYTES;
    if (this.#heldBytes >= HELD_BYTES_MAX) this.#socket.pause();
  }

  #finish(error: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#error = error;
    if (error !== undefined) this.#held = [];
    if (error === undefined) this.#reader?.resolve(undefined);
    else this.#reader?.reject(error);
    this.#reader = undefined;
  }
}
