import { GrowingBytes } from '@binnacle/base';

const NEWLINE = 0x0a;

/** A runtime cuts what a container writes at 16 KiB: so much without a newline is nobody's log. */
export const LINE_BYTES_MAX = 1 << 20;

/**
 * Cuts the blocks of a log into lines of bytes; what waits for its newline costs by the byte, and never more than a line may
 * have: of a longer one nothing is told.
 */
export class WholeLines {
  readonly #rest = new GrowingBytes();
  #isSkipping = false;

  /** The lines that this block completes, without their newlines. */
  push(block: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let from = 0;
    for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, from)) {
      this.#keep(block.subarray(from, at));
      const line = this.#rest.take();
      if (!this.#isSkipping) lines.push(line);
      this.#isSkipping = false;
      from = at + 1;
    }
    this.#keep(block.subarray(from));
    return lines;
  }

  /** Another file begins. */
  reset(): void {
    this.#rest.take();
    this.#isSkipping = false;
  }

  #keep(bytes: Uint8Array): void {
    if (this.#isSkipping) return;
    if (this.#rest.length + bytes.length <= LINE_BYTES_MAX) {
      this.#rest.add(bytes);
      return;
    }
    this.#rest.take();
    this.#isSkipping = true;
  }
}
