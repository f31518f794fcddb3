import type { Int64 } from '../int64.ts';

const utf8 = new TextEncoder();
/** A UTF-16 unit is at most three bytes of UTF-8. */
const UTF8_BYTES_MAX = 3;

/** Writes one protobuf message tree into memory that grows as it must; the caller knows the fields and their order. */
export class ProtoWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(initialBytes = 1024) {
    this.#bytes = new Uint8Array(initialBytes);
  }

  string(field: number, text: string): void {
    this.#tag(field, 2);
    this.#reserve(text.length * UTF8_BYTES_MAX + 10);
    const start = this.#length;
    // The length goes before the text: room for it is kept as if all were ASCII, which nearly all is.
    const room = varintBytes(text.length);
    const written = this.#text(text, start + room);
    const needed = varintBytes(written);
    if (needed > room) this.#bytes.copyWithin(start + needed, start + room, start + room + written);
    this.#varint(written);
    this.#length += written;
  }

  bool(field: number, value: boolean): void {
    this.#tag(field, 0);
    this.#varint(value ? 1 : 0);
  }

  /** int32 and int64, as JSON has them. */
  int(field: number, value: number | Int64): void {
    this.#tag(field, 0);
    if (typeof value === 'number' && value >= 0) this.#varint(value);
    else this.#varint64(BigInt.asUintN(64, BigInt(typeof value === 'number' ? value : value.digits)));
  }

  double(field: number, value: number): void {
    this.#tag(field, 1);
    this.#reserve(8);
    new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#length, 8).setFloat64(0, value, true);
    this.#length += 8;
  }

  bytes(field: number, value: Uint8Array): void {
    this.#tag(field, 2);
    this.#varint(value.length);
    this.raw(value);
  }

  /** Announces so many bytes that are written elsewhere. */
  lengthOf(field: number, bytes: number): void {
    this.#tag(field, 2);
    this.#varint(bytes);
  }

  /** The bytes that a base64 text stands for; it has to be one. */
  base64(field: number, text: string): void {
    const binary = atob(text);
    this.#tag(field, 2);
    this.#varint(binary.length);
    this.#reserve(binary.length);
    const out = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < binary.length; i++) out[at++] = binary.charCodeAt(i);
    this.#length = at;
  }

  /** What is encoded already. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** A nested message. */
  message(field: number, write: () => void): void {
    const start = this.begin(field);
    write();
    this.end(start);
  }

  /** Opens a nested message; what is written until `end` is its content. */
  begin(field: number): number {
    this.#tag(field, 2);
    const start = this.#length;
    this.#varint(0);
    return start;
  }

  /** Closes it. Its length is known only now: a content of more than 127 bytes moves over to make room for it. */
  end(start: number): void {
    const size = this.#length - start - 1;
    const extra = varintBytes(size) - 1;
    if (extra > 0) {
      this.#reserve(extra);
      this.#bytes.copyWithin(start + 1 + extra, start + 1, start + 1 + size);
    }
    this.#length = start;
    this.#varint(size);
    this.#length += size;
  }

  /** A copy of exactly what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Forgets what was written, to be used again. */
  reset(): void {
    this.#length = 0;
  }

  #tag(field: number, wire: number): void {
    this.#varint((field << 3) | wire);
  }

  /** Bytes written from `at`. */
  #text(text: string, at: number): number {
    const out = this.#bytes;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 127 || i > 64) return i + utf8.encodeInto(text.slice(i), out.subarray(at + i)).written;
      out[at + i] = unit;
    }
    return text.length;
  }

  /** From 0 to 2^53. */
  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 0x7fffffff) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  #varint64(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 127n) {
      this.#bytes[this.#length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + bytes));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** What a field of so many bytes takes, with its number and length. */
export function bytesOfField(field: number, length: number): number {
  return varintBytes(field << 3) + varintBytes(length) + length;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 127; rest >>>= 7) bytes++;
  return bytes;
}
