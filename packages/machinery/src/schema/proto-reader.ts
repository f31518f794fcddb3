import { DecodeError } from '../errors.ts';
import { tooManyValues, VALUES_MAX } from './value-limit.ts';

/** A mark of byte order is a letter of the text like any other. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** How many more fields one input may have; those of its inner messages count too. */
export interface FieldBudget {
  left: number;
}

/** What a value costs of the budget: an entry of a map is three fields, everything else is charged like it. */
export const FIELDS_PER_VALUE = 3;

/** The budget of an input from outside. */
export function newBudget(): FieldBudget {
  return { left: VALUES_MAX * FIELDS_PER_VALUE };
}

/** The byte at a place; -1 behind the end. */
export function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? -1;
}

/** Walks over the fields of one protobuf message. Throws DecodeError with Go's message where it is cut off. */
export class ProtoReader {
  /** Of the current field. */
  field = 0;
  readonly #bytes: Uint8Array;
  #at = 0;
  #wire = 0;

  readonly #budget: FieldBudget | undefined;

  /** Without a budget it may have as many fields as it likes. */
  constructor(bytes: Uint8Array, budget?: FieldBudget) {
    this.#bytes = bytes;
    this.#budget = budget;
  }

  get hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  /** Whether the current field has a length, as a packed list has. */
  get isPacked(): boolean {
    return this.#wire === 2;
  }

  /** Goes to the next field; false at the end. */
  next(): boolean {
    if (!this.hasMore) return false;
    this.charge(1);
    const tag = this.#length();
    this.field = Math.floor(tag / 8);
    this.#wire = tag % 8;
    return true;
  }

  /** Takes so much of the budget. Throws 413 where that is more than is left. */
  charge(values: number): void {
    if (this.#budget !== undefined && (this.#budget.left -= values) < 0) throw tooManyValues();
  }

  /** Signed, as int32, int64 and bool travel. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
    throw new DecodeError('proto: integer overflow');
  }

  double(): number {
    const part = this.#take(8);
    return new DataView(part.buffer, part.byteOffset, 8).getFloat64(0, true);
  }

  /** A view of the contents of the current field. */
  bytes(): Uint8Array {
    if (this.#wire !== 2) throw new DecodeError(`proto: wrong wireType = ${this.#wire} for field ${this.field}`);
    return this.#take(this.#length());
  }

  /** The message that the current field is, on the same budget. */
  message(): ProtoReader {
    return new ProtoReader(this.bytes(), this.#budget);
  }

  string(): string {
    return utf8.decode(this.bytes());
  }

  /** Passes over the current field. */
  skip(): void {
    if (this.#wire === 0) this.varint();
    else if (this.#wire === 1) this.#take(8);
    else if (this.#wire === 2) this.bytes();
    else if (this.#wire === 5) this.#take(4);
    else throw new DecodeError(`proto: illegal wireType ${this.#wire}`);
  }

  /** A tag or a length: most take one byte. */
  #length(): number {
    const byte = byteAt(this.#bytes, this.#at);
    if (byte < 0 || byte >= 128) return Number(this.varint());
    this.#at++;
    return byte;
  }

  #byte(): number {
    const byte = byteAt(this.#bytes, this.#at++);
    if (byte === -1) throw new DecodeError('unexpected EOF');
    return byte;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new DecodeError('unexpected EOF');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
