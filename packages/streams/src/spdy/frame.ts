import type { ByteReader } from '../byte-reader.ts';
import { StreamProtocolError } from '../errors.ts';

/**
 * SPDY/3.1's frames: 8 bytes of head, then as many as the head says.
 *
 *     |0|   stream id (31)      |   control: |1| version (15) | type (16) |
 *     | flags (8) | length (24) |            | flags (8) | length (24)    |
 */
export type SpdyFrame =
  /** A piece of a data frame, as it came; `fin` with the last piece only. An empty one carries only `fin`. */
  | { readonly type: 'data'; readonly id: number; readonly fin: boolean; readonly data: Uint8Array }
  | { readonly type: 'syn-stream'; readonly id: number; readonly fin: boolean; readonly block: Uint8Array }
  | { readonly type: 'syn-reply'; readonly id: number; readonly fin: boolean; readonly block: Uint8Array }
  | { readonly type: 'headers'; readonly id: number; readonly fin: boolean; readonly block: Uint8Array }
  | { readonly type: 'rst-stream'; readonly id: number; readonly status: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goaway'; readonly lastId: number; readonly status: number }
  /** SETTINGS, WINDOW_UPDATE and what a later version may add: of no meaning here. */
  | { readonly type: 'other'; readonly number: number };

const VERSION = 3;
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const HEADERS = 8;
const FLAG_FIN = 1;
const HEAD_BYTES = 8;
const ID_MASK = 0x7fff_ffff;
/** Of a control frame. Data frames may be as long as they can say: they are never held whole. */
const CONTROL_BYTES_MAX = 64 * 1024;

/** Reads the next frame; undefined at the orderly end. Throws StreamProtocolError for what is none. */
export class FrameReader {
  readonly #bytes: ByteReader;
  /** The rest of a data frame. */
  #open: { readonly id: number; readonly fin: boolean; left: number } | undefined;

  constructor(bytes: ByteReader) {
    this.#bytes = bytes;
  }

  async next(): Promise<SpdyFrame | undefined> {
    if (this.#open !== undefined) return this.#piece(this.#open);
    const head = await this.#bytes.exactly(HEAD_BYTES);
    if (head === undefined) return undefined;
    const view = new DataView(head.buffer, head.byteOffset, HEAD_BYTES);
    const first = view.getUint32(0);
    const fin = (view.getUint8(4) & FLAG_FIN) !== 0;
    const length = view.getUint32(4) & 0xff_ffff;
    if (first <= ID_MASK) {
      if (length === 0) return { type: 'data', id: first, fin, data: new Uint8Array(0) };
      return this.#piece({ id: first, fin, left: length });
    }
    const version = (first >>> 16) & 0x7fff;
    if (version !== VERSION) throw new StreamProtocolError(`SPDY version ${version} is not spoken`);
    if (length > CONTROL_BYTES_MAX) throw new StreamProtocolError('a control frame is too long', { length });
    const body = length === 0 ? new Uint8Array(0) : await this.#bytes.exactly(length);
    if (body === undefined) throw new StreamProtocolError('the stream ended in the middle of a frame');
    return controlFrame(first & 0xffff, body, fin);
  }

  async #piece(open: { readonly id: number; readonly fin: boolean; left: number }): Promise<SpdyFrame> {
    const data = await this.#bytes.some(open.left);
    open.left -= data.length;
    this.#open = open.left === 0 ? undefined : open;
    return { type: 'data', id: open.id, fin: open.fin && open.left === 0, data };
  }
}

function controlFrame(number: number, body: Uint8Array, fin: boolean): SpdyFrame {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const least = (length: number): void => {
    if (body.length < length) throw new StreamProtocolError('a control frame is too short', { number });
  };
  switch (number) {
    case SYN_STREAM:
      // Behind the id: the associated stream, priority and credential slot, which nobody uses.
      least(10);
      return { type: 'syn-stream', id: view.getUint32(0) & ID_MASK, fin, block: body.subarray(10) };
    case SYN_REPLY:
    case HEADERS: {
      least(4);
      const type = number === HEADERS ? 'headers' : 'syn-reply';
      return { type, id: view.getUint32(0) & ID_MASK, fin, block: body.subarray(4) };
    }
    case RST_STREAM:
      least(8);
      return { type: 'rst-stream', id: view.getUint32(0) & ID_MASK, status: view.getUint32(4) };
    case PING:
      least(4);
      return { type: 'ping', id: view.getUint32(0) };
    case GOAWAY:
      least(8);
      return { type: 'goaway', lastId: view.getUint32(0) & ID_MASK, status: view.getUint32(4) };
    default:
      return { type: 'other', number };
  }
}

function control(number: number, body: { readonly words: readonly number[]; readonly fin?: boolean }): Uint8Array {
  const { words, fin = false } = body;
  const frame = new Uint8Array(HEAD_BYTES + words.length * 4);
  const view = new DataView(frame.buffer);
  view.setUint32(0, (((0x8000 | VERSION) << 16) | number) >>> 0);
  view.setUint32(4, ((fin ? FLAG_FIN : 0) << 24) | (words.length * 4));
  words.forEach((word, at) => view.setUint32(HEAD_BYTES + at * 4, word));
  return frame;
}

function withBlock(
  number: number,
  head: Uint8Array,
  of: { readonly block: Uint8Array; readonly fin: boolean },
): Uint8Array {
  const frame = new Uint8Array(HEAD_BYTES + head.length + of.block.length);
  frame.set(control(number, { words: [], fin: of.fin }));
  new DataView(frame.buffer).setUint32(4, ((of.fin ? FLAG_FIN : 0) << 24) | (head.length + of.block.length));
  frame.set(head, HEAD_BYTES);
  frame.set(of.block, HEAD_BYTES + head.length);
  return frame;
}

function idBytes(id: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(0, id);
  return bytes;
}

/** Opens a stream; `block` is compressed. */
export function synStream(id: number, block: Uint8Array): Uint8Array {
  return withBlock(SYN_STREAM, idBytes(id, 10), { block, fin: false });
}

/** Takes a stream that the other side opened. */
export function synReply(id: number, block: Uint8Array): Uint8Array {
  return withBlock(SYN_REPLY, idBytes(id, 4), { block, fin: false });
}

/** Drops a stream. */
export function rstStream(id: number, status: number): Uint8Array {
  return control(RST_STREAM, { words: [id, status] });
}

/** Answers a ping, or asks. */
export function ping(id: number): Uint8Array {
  return control(PING, { words: [id] });
}

/** No more streams after `lastId`. */
export function goaway(lastId: number, status: number): Uint8Array {
  return control(GOAWAY, { words: [lastId, status] });
}

/** The head of a data frame, to be followed by its `length` bytes. */
export function dataHead(id: number, length: number, fin: boolean): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  const view = new DataView(head.buffer);
  view.setUint32(0, id);
  view.setUint32(4, (((fin ? FLAG_FIN : 0) << 24) | length) >>> 0);
  return head;
}
