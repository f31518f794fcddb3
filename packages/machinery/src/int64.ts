import { rawJson, rawNumber } from './raw-json.ts';

const MAX = 2n ** 63n - 1n;
/** No 64-bit integer is written with more characters. */
const CHARACTERS_MAX = 20;

/**
 * An integer of 64 bits that a double cannot hold. It stands where a number is expected: it calculates and compares
 * as the nearest double, and is written as JSON with all its digits. Integers up to 2^53 are plain numbers.
 */
export class Int64 extends Number {
  readonly digits: string;

  constructor(value: bigint) {
    super(value);
    this.digits = String(value);
  }

  /** The digits, for `JSON.stringify`. */
  toJSON(): object {
    return rawJson(this.digits);
  }

  override toString(): string {
    return this.digits;
  }
}

/** A 64-bit integer as a plain number where that is exact, else as an `Int64`; undefined when it is too large. */
export function int64Of(value: bigint): number | Int64 | undefined {
  if (value > MAX || value < -MAX - 1n) return undefined;
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : new Int64(value);
}

/** As `int64Of`, of the digits that a text has; undefined for what is no integer of 64 bits. Linear. */
export function parseInt64(digits: string): number | Int64 | undefined {
  return digits.length > CHARACTERS_MAX || !/^-?\d+$/.test(digits) ? undefined : int64Of(BigInt(digits));
}

/** The digits of a number as Go writes the double that it reads from them, where they have a point or an exponent. */
export function wholeDigits(digits: string): string {
  const near = /[.eE]/.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(near) ? String(near) : digits;
}

/** A text that Go's `strconv.ParseInt(text, 10, 64)` takes, zeros before the number too; undefined for any other. Linear. */
export function readInt64(text: string): bigint | undefined {
  const [, sign, digits] = /^([+-]?)0*(\d{1,19})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  return int64Of(value) === undefined ? undefined : value;
}

/** The digits of a number that is kept as text, whether its field has a type or not; undefined for anything else. */
export function exactDigits(value: object): string | undefined {
  // Nearly all values are plain objects and lists, and no number is.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype) return undefined;
  return value instanceof Int64 ? value.digits : rawNumber(value);
}
