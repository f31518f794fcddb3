const LENGTH_BYTES = 2;

/** A message as it travels in a stream: its length first (RFC 1035, 4.2.2). */
export function withLength(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(LENGTH_BYTES + message.length);
  new DataView(framed.buffer).setUint16(0, message.length);
  framed.set(message, LENGTH_BYTES);
  return framed;
}

/** Cuts a stream into messages. Keeps what was pushed and not taken: who takes all there is holds less than a message. */
export class MessageSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** Bytes that nobody took yet. */
  get waiting(): number {
    return this.#rest.length;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /** The next message; undefined where none is whole yet. */
  next(): Uint8Array | undefined {
    const rest = this.#rest;
    if (rest.length < LENGTH_BYTES) return undefined;
    const end = LENGTH_BYTES + rest.readUInt16BE(0);
    if (end > rest.length) return undefined;
    this.#rest = rest.subarray(end);
    return rest.subarray(LENGTH_BYTES, end);
  }
}
