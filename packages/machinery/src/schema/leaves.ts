/** The values that are more than a JSON scalar: how each is read, and what Go writes for its zero value. */
import { DecodeError } from '../errors.ts';
import { canonicalQuantity, canonicalResource } from '../quantity.ts';
import { exactDigits, int64Of, parseInt64, wholeDigits } from '../int64.ts';
import type { Int64 } from '../int64.ts';
import { rawNumber } from '../raw-json.ts';

/** Thrown by a fast decoder that met something it cannot take; the audit then finds the words for it. */
export class Mismatch extends DecodeError {
  constructor() {
    super('the value does not fit its type');
  }
}

/** Where a decoder notes that a number may have lost digits before it came here. */
export interface Doubt {
  inexact: boolean;
  /** Whole numbers are taken however they are written: a custom kind's were all read as doubles before. */
  anySpelling?: boolean;
}

export type LeafDecoder = (value: unknown, walk: Doubt) => unknown;

export interface Leaf {
  readonly decode: LeafDecoder;
  /** What an absent value that is no pointer is written as. */
  readonly zero: unknown;
  /** Go's `omitempty` leaves it out when it is zero; a struct is never empty for Go. */
  readonly canBeEmpty: boolean;
}

function mismatch(): never {
  throw new Mismatch();
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : mismatch();
}

function bool(value: unknown): boolean {
  return typeof value === 'boolean' ? value : mismatch();
}

function int32(value: unknown): number {
  // `| 0` also turns -0 into 0.
  return typeof value === 'number' && (value | 0) === value ? value | 0 : mismatch();
}

/** Beyond 2^53 the digits matter: they come as text, and a double that large is in doubt. */
function int64(value: unknown, walk: Doubt): number | Int64 {
  if (Number.isSafeInteger(value)) return (value as number) + 0;
  if (typeof value === 'object' && value !== null) {
    const digits = exactDigits(value) ?? '';
    return parseInt64(walk.anySpelling === true ? wholeDigits(digits) : digits) ?? mismatch();
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return mismatch();
  walk.inexact = true;
  return int64Of(BigInt(value)) ?? mismatch();
}

function double(value: unknown): number {
  const near = typeof value === 'number' ? value : Number(rawNumber(value));
  return Number.isFinite(near) ? near : mismatch();
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function bytes(value: unknown): string {
  if (typeof value !== 'string') return mismatch();
  if (BASE64.test(value)) return value;
  // Go skips line ends inside the text and does not write them again.
  const joined = value.replace(/[\r\n]/g, '');
  return BASE64.test(joined) ? joined : mismatch();
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isRealTime(match: RegExpExecArray): boolean {
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && !leap ? 28 : DAYS[month - 1];
  return days !== undefined && day >= 1 && day <= days && hour < 24 && minute < 60 && second < 60;
}

/** Whether a text is written as RFC 3339 has times, of a day that there is. */
export function isTime(text: string): boolean {
  const match = TIME.exec(text);
  return match !== null && isRealTime(match);
}

const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether the year of an instant, in milliseconds since the epoch, has other than four digits in UTC. */
export function isBeyondYears(at: number): boolean {
  return at < FIRST || at > LAST;
}

/**
 * The instant of an RFC 3339 text moved to UTC, without its fraction; undefined for no time, and for one of another year
 * there than four digits write: what is written so could not be read again.
 */
export function readTime(text: string): { seconds: string; fraction: string } | undefined {
  const match = TIME.exec(text);
  if (match === null || !isRealTime(match)) return undefined;
  const fraction = match[7] ?? '';
  if (match[8] === 'Z') return { seconds: text.slice(0, 19), fraction };
  const base = `${text.slice(0, 19)}${match[8] ?? ''}`;
  const at = Date.parse(base);
  return Number.isNaN(at) || isBeyondYears(at)
    ? undefined
    : { seconds: new Date(at).toISOString().slice(0, 19), fraction };
}

/** The same as milliseconds since the epoch, with as much of the fraction as they hold. */
export function readMoment(text: string): number | undefined {
  const read = readTime(text);
  return read === undefined ? undefined : Date.parse(`${read.seconds}.${read.fraction.padEnd(3, '0').slice(0, 3)}Z`);
}

const ZERO_TIME = '0001-01-01T00:00:00';

/** Whole seconds of a day that every month has; anything else takes the careful way. */
const PLAIN_TIME = /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

function time(value: unknown): string | null {
  if (typeof value === 'string' && PLAIN_TIME.test(value)) return value;
  const read = typeof value === 'string' ? readTime(value) : undefined;
  if (read === undefined) return mismatch();
  return read.seconds === ZERO_TIME ? null : `${read.seconds}Z`;
}

function microTime(value: unknown): string | null {
  const read = typeof value === 'string' ? readTime(value) : undefined;
  if (read === undefined || read.fraction.length !== 6) return mismatch();
  return read.seconds === ZERO_TIME && Number(read.fraction) === 0 ? null : `${read.seconds}.${read.fraction}Z`;
}

function quantityText(value: unknown, walk: Doubt): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value !== 'number') return rawNumber(value) ?? mismatch();
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) walk.inexact = true;
  return String(value);
}

function quantity(value: unknown, walk: Doubt): string {
  return canonicalQuantity(quantityText(value, walk));
}

/** The quantities of a resource list, which defaulting rounds up to thousandths. */
export function resource(value: unknown, walk: Doubt): string {
  return canonicalResource(quantityText(value, walk));
}

function intOrString(value: unknown): number | string {
  return typeof value === 'string' ? value : int32(value);
}

export const LEAVES: { readonly [type: string]: Leaf } = {
  string: { decode: string, zero: '', canBeEmpty: true },
  bool: { decode: bool, zero: false, canBeEmpty: true },
  int32: { decode: int32, zero: 0, canBeEmpty: true },
  int64: { decode: int64, zero: 0, canBeEmpty: true },
  double: { decode: double, zero: 0, canBeEmpty: true },
  bytes: { decode: bytes, zero: null, canBeEmpty: true },
  Duration: { decode: string, zero: '0s', canBeEmpty: false },
  Time: { decode: time, zero: null, canBeEmpty: false },
  MicroTime: { decode: microTime, zero: null, canBeEmpty: false },
  Quantity: { decode: quantity, zero: '0', canBeEmpty: false },
  IntOrString: { decode: intOrString, zero: 0, canBeEmpty: false },
};
