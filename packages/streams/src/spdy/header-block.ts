import { StreamProtocolError } from '../errors.ts';

/** Names in lower case. Several values of one name are one text with `\0` between them. */
export type SpdyHeaders = { readonly [name: string]: string };

const HEADERS_MAX = 256;

/** Names and values as they stand in a header block, before compression. */
export function encodeHeaderBlock(headers: SpdyHeaders): Uint8Array {
  const encoder = new TextEncoder();
  const texts = Object.entries(headers).flatMap(([name, value]) => [encoder.encode(name), encoder.encode(value)]);
  const block = new Uint8Array(texts.reduce((sum, text) => sum + 4 + text.length, 4));
  const view = new DataView(block.buffer);
  view.setUint32(0, texts.length / 2);
  let at = 4;
  for (const text of texts) {
    view.setUint32(at, text.length);
    block.set(text, at + 4);
    at += 4 + text.length;
  }
  return block;
}

/** Throws StreamProtocolError for a block that does not fit its own lengths, or has too many headers. */
export function decodeHeaderBlock(block: Uint8Array): SpdyHeaders {
  const decoder = new TextDecoder();
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new StreamProtocolError('a header block is cut off');
    at += 4;
    return view.getUint32(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new StreamProtocolError('a header block is cut off');
    at += length;
    return decoder.decode(block.subarray(at - length, at));
  };
  const count = number();
  if (count > HEADERS_MAX) throw new StreamProtocolError('too many headers', { count });
  const entries: [string, string][] = [];
  for (let i = 0; i < count; i++) entries.push([text().toLowerCase(), text()]);
  // By entries: a header may be called `__proto__`.
  return Object.fromEntries(entries);
}
