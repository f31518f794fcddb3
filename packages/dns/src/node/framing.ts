const LENGTH_BYTES = 2;

/** A message as it travels in a stream: its length first (RFC 1035, 4.2.2). */
export function withLength(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(LENGTH_BYTES + message.length);
  new DataView(framed.buffer).setUint16(0, message.length);
  framed.set(message, LENGTH_BYTES);
  return framed;
}

/** Cuts a stream into messages; keeps at most one that is not whole. */
export class MessageSplitter {
  readonly #onMessage: (message: Uint8Array) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onMessage: (message: Uint8Array) => void) {
    this.#onMessage = onMessage;
  }

  /** Bytes of a message that is not whole yet. */
  get waiting(): number {
    return this.#rest.length;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= LENGTH_BYTES) {
      const end = at + LENGTH_BYTES + bytes.readUInt16BE(at);
      if (end > bytes.length) break;
      this.#onMessage(bytes.subarray(at + LENGTH_BYTES, end));
      at = end;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
  }
}
