import { QuantityError } from './errors.ts';

/** The family of suffixes that a quantity was written with, and is written with again. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An exact amount: whole nanos, the smallest step that upstream keeps. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

const NANO = 1_000_000_000n;
const MAX_BINARY = (2n ** 63n - 1n) * NANO;

const DECIMAL: { readonly [suffix: string]: number } = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY: { readonly [suffix: string]: number } = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL_SUFFIX: { readonly [exponent: number]: string } = Object.fromEntries(
  Object.entries(DECIMAL).map(([suffix, exponent]) => [exponent, suffix]),
);
const BINARY_SUFFIX = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX = /^[eEinumkKMGTP]*[-+]?[0-9]*$/;
/** More digits than this, or a larger power of ten, are refused: amounts must not cost more than their text. */
const DIGITS_MAX = 128;
/** Texts that are canonical whatever they mean; nearly all quantities that travel look like this. */
const SURELY_CANONICAL = /^(?:0|[1-9]\d{0,2}(?:m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi)?)$/;

/**
 * Reads a quantity. Throws QuantityError with upstream's text. Finer than nano is rounded away from zero. Takes time
 * in proportion to the text.
 */
export function parseQuantity(text: string): Quantity {
  const { sign, whole, fraction, suffix } = splitQuantity(text);
  const scale = readSuffix(text, suffix);
  const digits = whole + fraction;
  if (digits.length > DIGITS_MAX) throw new QuantityError(text, 'unable to parse numeric part of quantity');
  const unscaled = BigInt(digits === '' ? '0' : digits);
  const magnitude = toNano(unscaled, fraction.length, scale);
  const capped = scale.format === 'BinarySI' && magnitude > MAX_BINARY ? MAX_BINARY : magnitude;
  const format = scale.format === 'BinarySI' && capped > 0n && capped < NANO ? 'DecimalSI' : scale.format;
  return { nano: sign === '-' ? -capped : capped, format };
}

interface Parts {
  readonly sign: string;
  /** Without zeros that mean nothing. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

/** By hand: an expression for it takes the square of a long number's length before it gives up. */
function splitQuantity(text: string): Parts {
  const first = text.charCodeAt(0);
  const start = first === 43 || first === 45 ? 1 : 0;
  const point = digitsEnd(text, start);
  const end = text.charCodeAt(point) === 46 ? digitsEnd(text, point + 1) : point;
  const suffix = text.slice(end);
  if (text === '' || !SUFFIX.test(suffix)) throw new QuantityError(text, FORMAT_WRONG);
  return {
    sign: text.slice(0, start),
    whole: withoutLeadingZeros(text.slice(start, point)),
    fraction: withoutTrailingZeros(text.slice(point + 1, end)),
    suffix,
  };
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(at)) at++;
  return at;
}

function withoutLeadingZeros(digits: string): string {
  let at = 0;
  while (digits.charCodeAt(at) === 48) at++;
  return digits.slice(at);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}

interface Scale {
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function readSuffix(text: string, suffix: string): Scale {
  const decimal = DECIMAL[suffix];
  if (decimal !== undefined) return { exponent: decimal, format: 'DecimalSI' };
  const binary = BINARY[suffix];
  if (binary !== undefined) return { exponent: binary, format: 'BinarySI' };
  const exponent = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1];
  // A text of nine bytes must not ask for gigabytes of digits.
  if (exponent === undefined || Math.abs(Number(exponent)) > DIGITS_MAX) {
    throw new QuantityError(text, "unable to parse quantity's suffix");
  }
  return { exponent: Number(exponent), format: 'DecimalExponent' };
}

function toNano(unscaled: bigint, fractionDigits: number, scale: Scale): bigint {
  if (scale.format === 'BinarySI') {
    return divideUp((unscaled << BigInt(scale.exponent)) * NANO, 10n ** BigInt(fractionDigits));
  }
  const power = scale.exponent - fractionDigits + 9;
  return power >= 0 ? unscaled * 10n ** BigInt(power) : divideUp(unscaled, 10n ** BigInt(-power));
}

/** Of amounts that are not negative. */
function divideUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}

/** Away from zero for positive amounts, as upstream rounds. */
function divideCeil(amount: bigint, by: bigint): bigint {
  return amount >= 0n ? divideUp(amount, by) : -divideUp(-amount, by);
}

/** The canonical text: no fraction, largest suffix that loses nothing. */
export function formatQuantity(quantity: Quantity): string {
  const { nano } = quantity;
  if (nano === 0n) return '0';
  const small = nano > -1024n * NANO && nano < 1024n * NANO;
  if (quantity.format === 'BinarySI' && !small && nano % NANO === 0n) return formatBinary(nano / NANO);
  return formatDecimal(nano, quantity.format === 'DecimalExponent');
}

function formatBinary(amount: bigint): string {
  let rest = amount;
  let step = 0;
  while (rest % 1024n === 0n && step < 6) {
    rest /= 1024n;
    step++;
  }
  return `${rest}${BINARY_SUFFIX[step]}`;
}

function formatDecimal(nano: bigint, asExponent: boolean): string {
  let rest = nano;
  let exponent = -9;
  while (rest % 1000n === 0n) {
    rest /= 1000n;
    exponent += 3;
  }
  const suffix = asExponent ? undefined : DECIMAL_SUFFIX[exponent];
  return `${rest}${suffix ?? (exponent === 0 ? '' : `e${exponent}`)}`;
}

/** The canonical form of a text. Throws QuantityError. */
export function canonicalQuantity(text: string): string {
  return SURELY_CANONICAL.test(text) ? text : formatQuantity(parseQuantity(text));
}

/** As `canonicalQuantity`, with finer than milli rounded up: what defaulting does to every resource list. */
export function canonicalResource(text: string): string {
  if (SURELY_CANONICAL.test(text)) return text;
  const parsed = parseQuantity(text);
  return formatQuantity({ nano: divideCeil(parsed.nano, 1_000_000n) * 1_000_000n, format: parsed.format });
}

/** A quantity or its text. */
export type QuantityLike = Quantity | string;

function read(quantity: QuantityLike): Quantity {
  return typeof quantity === 'string' ? parseQuantity(quantity) : quantity;
}

/** Negative, zero or positive, as a sort wants it. */
export function compareQuantities(a: QuantityLike, b: QuantityLike): number {
  const left = read(a).nano;
  const right = read(b).nano;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The sum, in the format of the first (of the second when the first is zero). */
export function addQuantities(a: QuantityLike, b: QuantityLike): Quantity {
  const left = read(a);
  const right = read(b);
  return { nano: left.nano + right.nano, format: left.nano === 0n ? right.format : left.format };
}

/** The difference, in the format of the first (of the second when the first is zero). */
export function subtractQuantities(a: QuantityLike, b: QuantityLike): Quantity {
  const right = read(b);
  return addQuantities(a, { nano: -right.nano, format: right.format });
}

/** Whole units, rounded up; exact up to 2^53. */
export function quantityValue(quantity: QuantityLike): number {
  const fast = typeof quantity === 'string' ? fastValue(quantity, 1) : Number.NaN;
  return fast === fast ? fast : Number(divideCeil(read(quantity).nano, NANO));
}

/** Thousandths, rounded up; exact up to 2^53. */
export function quantityMilliValue(quantity: QuantityLike): number {
  const fast = typeof quantity === 'string' ? fastValue(quantity, 1000) : Number.NaN;
  return fast === fast ? fast : Number(divideCeil(read(quantity).nano, 1_000_000n));
}

/** Plain digits with a common suffix, times `unit`; NaN for whatever needs the exact way. */
function fastValue(text: string, unit: number): number {
  let value = 0;
  let i = 0;
  for (; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  if (i === 0 || i > 15) return Number.NaN;
  const factor = fastFactor(text, i);
  if (factor === 0.001) return unit === 1000 ? value : Math.ceil(value / 1000);
  const result = value * factor * unit;
  return result <= Number.MAX_SAFE_INTEGER ? result : Number.NaN;
}

function fastFactor(text: string, from: number): number {
  const left = text.length - from;
  if (left === 0) return 1;
  if (left === 1) {
    const decimal = DECIMAL[text.slice(from)];
    return decimal === undefined || decimal < -3 ? Number.NaN : decimal === -3 ? 0.001 : 10 ** decimal;
  }
  const binary = left === 2 ? BINARY[text.slice(from)] : undefined;
  return binary === undefined ? Number.NaN : 2 ** binary;
}

/** A quantity of whole units. */
export function quantityOf(value: number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { nano: BigInt(value) * NANO, format };
}

/** A quantity of thousandths. */
export function milliQuantityOf(milli: number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { nano: BigInt(milli) * 1_000_000n, format };
}
