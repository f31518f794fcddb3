import { joinBytes, StreamCutError, StreamEndedError } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';

/** One message of a WebSocket. */
export interface Message {
  readonly data: Uint8Array;
  /** Sent as text; else as bytes. */
  readonly text: boolean;
}

/** A WebSocket after its handshake. The adapter is in `node/`. */
export interface Messages {
  /** The subprotocol that both agreed on; empty: none. */
  readonly protocol: string;
  /** One at a time; undefined when the other side closed in good order. Rejects when the connection broke. */
  read(): Promise<Message | undefined>;
  /** Resolves when there is room for more. */
  write(data: Uint8Array, options?: { readonly text?: boolean }): Promise<void>;
  /** Says goodbye and waits, not for long, for the other side to say it too. */
  close(code?: number): Promise<void>;
  /** Drops the connection. */
  abort(error?: Error): void;
  /** Resolves when the connection is over: with what broke it. Never rejects. */
  readonly closed: Promise<Error | undefined>;
}

/** A byte stream in the binary messages of a WebSocket (`SPDY/3.1+portforward.k8s.io`). */
export function tunnelOver(messages: Messages): Duplex {
  let ended = false;
  return {
    closed: messages.closed,
    async read() {
      for (let message = await messages.read(); message !== undefined; message = await messages.read()) {
        if (message.data.length > 0) return message.data;
      }
      return undefined;
    },
    write(chunk) {
      if (ended) return Promise.reject(new StreamEndedError());
      return chunk.length === 0 ? Promise.resolve() : messages.write(chunk);
    },
    // A WebSocket knows no half-close: the end of one half is the end of both.
    async end() {
      if (ended) return;
      ended = true;
      await messages.close();
    },
    abort: (error) => messages.abort(error),
  };
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** So many channels a first byte tells apart; as a sign of ASCII, where all is base64 text, fewer. */
export function channelsOf(isBase64: boolean): number {
  return isBase64 ? 0x80 - DIGIT_ZERO : 0x100;
}

/** Channels of one WebSocket: a first byte (or digit, where all is base64 text) says which. */
export class Channels {
  readonly #messages: Messages;
  readonly #base64: boolean;

  constructor(messages: Messages, base64: boolean) {
    this.#messages = messages;
    this.#base64 = base64;
  }

  /** The next message; undefined at the end. What is no message of a channel is passed over. */
  async read(): Promise<{ readonly channel: number; readonly data: Uint8Array } | undefined> {
    for (let message = await this.#messages.read(); message !== undefined; message = await this.#messages.read()) {
      const [first] = message.data;
      if (first === undefined) continue;
      const data = message.data.subarray(1);
      if (!this.#base64) return { channel: first, data };
      const decoded = decodeBase64(data);
      if (decoded !== undefined) return { channel: first - DIGIT_ZERO, data: decoded };
    }
    return undefined;
  }

  write(channel: number, data: Uint8Array): Promise<void> {
    if (this.#base64) {
      // One sign for the channel, behind the digits too: what comes behind `9` in ASCII.
      const text = `${String.fromCharCode(DIGIT_ZERO + channel)}${encodeBase64(data)}`;
      return this.#messages.write(new TextEncoder().encode(text), { text: true });
    }
    return this.#messages.write(joinBytes([new Uint8Array([channel]), data], data.length + 1));
  }
}

const DIGIT_ZERO = 0x30;

/** Without a bound of its own: the message has one. */
export function encodeBase64(data: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < data.length; at += 3) {
    const [a = 0, b, c] = data.subarray(at, at + 3);
    const bits = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    parts.push(
      BASE64.charAt(bits >> 18),
      BASE64.charAt((bits >> 12) & 63),
      b === undefined ? '=' : BASE64.charAt((bits >> 6) & 63),
      c === undefined ? '=' : BASE64.charAt(bits & 63),
    );
  }
  return parts.join('');
}

/** Undefined for what is no base64. */
export function decodeBase64(text: Uint8Array): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.at(-1) !== EQUALS ? 0 : text.at(-2) === EQUALS ? 2 : 1;
  const out = new Uint8Array((text.length / 4) * 3);
  for (let at = 0, to = 0; at < text.length; at += 4, to += 3) {
    let bits = 0;
    for (let i = at; i < at + 4; i++) {
      const isPadding = i >= text.length - padding;
      const value = isPadding ? 0 : (VALUES[text[i] ?? 0] ?? -1);
      if (value < 0) return undefined;
      bits = (bits << 6) | value;
    }
    out[to] = bits >> 16;
    out[to + 1] = bits >> 8;
    out[to + 2] = bits;
  }
  return out.subarray(0, out.length - padding);
}

const EQUALS = 0x3d;
const VALUES: readonly number[] = Array.from({ length: 256 }, (_, code) => BASE64.indexOf(String.fromCharCode(code)));

/** The end of a WebSocket as an error, for those who wait for more. */
export function endedMessages(): StreamCutError {
  return new StreamCutError('the WebSocket was closed');
}
