/** Just enough of protobuf's wire format to write one message tree: varints, strings, nested messages. */
export class ProtoWriter {
  #bytes: Uint8Array;
  #length = 0;
  readonly #utf8 = new TextEncoder();

  constructor(initialBytes = 1024) {
    this.#bytes = new Uint8Array(initialBytes);
  }

  string(field: number, text: string): void {
    this.#varint((field << 3) | 2);
    const bytes = this.#utf8.encode(text);
    this.#varint(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  bool(field: number, value: boolean): void {
    this.#varint(field << 3);
    this.#varint(value ? 1 : 0);
  }

  /** A nested message. Its length is known only at the end, so the content moves over to make room for it. */
  message(field: number, write: () => void): void {
    this.#varint((field << 3) | 2);
    const start = this.#length;
    this.#varint(0);
    write();
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

  #varint(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + bytes));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 127; rest >>>= 7) bytes++;
  return bytes;
}
