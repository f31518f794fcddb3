const NONE = new Uint8Array();

/**
 * Bytes that come in pieces, as one: costs by the byte, in time and in memory. Kept as pieces they would take an object
 * each, some hundred bytes for what a sender may cut into single ones.
 */
export class GrowingBytes {
  /** With room behind what is in it, unless it is the only piece so far: that stays as it came. */
  #bytes: Uint8Array = NONE;
  #length = 0;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /** Puts a piece behind what is there. */
  add(piece: Uint8Array): void {
    if (this.#length === 0) {
      this.#bytes = piece;
      this.#length = piece.length;
      return;
    }
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const wider = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      wider.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = wider;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** All that is there; what comes behind begins anew. */
  take(): Uint8Array {
    const all = this.#bytes.subarray(0, this.#length);
    this.#bytes = NONE;
    this.#length = 0;
    return all;
  }
}
