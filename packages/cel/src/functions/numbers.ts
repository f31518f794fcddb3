/** Arithmetic within 64 bits, and numbers from and to other values. */
import { EvaluationError, unreadableText } from '../errors.ts';
import { Duration, Uint } from '../values.ts';
import type { Timestamp, Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';
import { SECOND, timestampAt } from './time-text.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/** A whole number of 64 bits. Throws EvaluationError. */
export function int(value: bigint): bigint {
  if (value < MIN || value > MAX) throw new EvaluationError('integer overflow');
  return value;
}

function uint(value: bigint): Uint {
  if (value < 0n || value > UINT_MAX) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

function duration(nanos: bigint): Duration {
  return new Duration(int(nanos));
}

type IntMath = (a: bigint, b: bigint) => bigint;

function divided(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new EvaluationError('division by zero');
  return a / b;
}

function remainder(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new EvaluationError('modulus by zero');
  return a % b;
}

function wholeNumbers(operator: string, work: IntMath): readonly Overload[] {
  return [
    overload(`_${operator}_(int, int): int`, ([a, b]) => int(work(a as bigint, b as bigint))),
    overload(`_${operator}_(uint, uint): uint`, ([a, b]) => uint(work((a as Uint).value, (b as Uint).value))),
  ];
}

function doubles(operator: string, work: (a: number, b: number) => number): Overload {
  return overload(`_${operator}_(double, double): double`, ([a, b]) => work(a as number, b as number));
}

const nanos = (value: Value | undefined): bigint => (value as Timestamp | Duration).nanos;

const TIME_ARITHMETIC: readonly Overload[] = [
  overload('_+_(timestamp, duration): timestamp', ([a, b]) => timestampAt(nanos(a) + nanos(b))),
  overload('_+_(duration, timestamp): timestamp', ([a, b]) => timestampAt(nanos(a) + nanos(b))),
  overload('_+_(duration, duration): duration', ([a, b]) => duration(nanos(a) + nanos(b))),
  overload('_-_(timestamp, timestamp): duration', ([a, b]) => duration(nanos(a) - nanos(b))),
  overload('_-_(timestamp, duration): timestamp', ([a, b]) => timestampAt(nanos(a) - nanos(b))),
  overload('_-_(duration, duration): duration', ([a, b]) => duration(nanos(a) - nanos(b))),
];

const ARITHMETIC: readonly Overload[] = [
  ...wholeNumbers('+', (a, b) => a + b),
  ...wholeNumbers('-', (a, b) => a - b),
  ...wholeNumbers('*', (a, b) => a * b),
  ...wholeNumbers('/', divided),
  ...wholeNumbers('%', remainder),
  doubles('+', (a, b) => a + b),
  doubles('-', (a, b) => a - b),
  doubles('*', (a, b) => a * b),
  doubles('/', (a, b) => a / b),
  overload('-_(int): int', ([a]) => int(-(a as bigint))),
  overload('-_(double): double', ([a]) => -(a as number)),
  ...TIME_ARITHMETIC,
];

const same = ([a]: readonly Value[]): Value => a as Value;

const CONVERSIONS: readonly Overload[] = [
  overload('int(int): int', same),
  overload('int(uint): int', ([a]) => int((a as Uint).value)),
  overload('int(double): int', ([a]) => intOf(a as number)),
  overload('int(string): int', ([a]) => int(digits(a as string, true))),
  overload('int(timestamp): int', ([a]) => seconds(nanos(a))),
  overload('int(duration): int', ([a]) => nanos(a)),
  overload('uint(uint): uint', same),
  overload('uint(int): uint', ([a]) => uint(a as bigint)),
  overload('uint(double): uint', ([a]) => uint(whole(a as number))),
  overload('uint(string): uint', ([a]) => uint(digits(a as string, false))),
  overload('double(double): double', same),
  overload('double(int): double', ([a]) => Number(a as bigint)),
  overload('double(uint): double', ([a]) => Number((a as Uint).value)),
  overload('double(string): double', ([a]) => decimal(a as string)),
  overload('bool(bool): bool', same),
  overload('bool(string): bool', ([a]) => truth(a as string)),
];

function seconds(value: bigint): bigint {
  return (value - (((value % SECOND) + SECOND) % SECOND)) / SECOND;
}

/** The ends of the range are no doubles of their own, and are refused. */
function intOf(value: number): bigint {
  if (Math.abs(value) >= 2 ** 63) throw new EvaluationError('integer overflow');
  return whole(value);
}

function whole(value: number): bigint {
  if (!Number.isFinite(value)) throw new EvaluationError('integer overflow');
  return BigInt(Math.trunc(value));
}

/** No number of 64 bits is written with more, leading zeros set aside. */
const DIGITS_MAX = 400;

function digits(text: string, isSigned: boolean): bigint {
  const shape = isSigned ? /^[-+]?\d+$/ : /^\d+$/;
  const wrong = (): EvaluationError => unreadableText(isSigned ? 'int' : 'uint');
  if (text.length > DIGITS_MAX || !shape.test(text)) throw wrong();
  const value = BigInt(text.replace(/^\+/, ''));
  if (value < MIN || value > (isSigned ? MAX : UINT_MAX)) throw wrong();
  return value;
}

const DECIMAL = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf|infinity|nan)$/i;

function decimal(text: string): number {
  if (text.length > DIGITS_MAX || !DECIMAL.test(text)) throw unreadableText('double');
  const lower = text.toLowerCase();
  if (lower.includes('inf')) return lower.startsWith('-') ? -Infinity : Infinity;
  if (lower.includes('nan')) return Number.NaN;
  const value = Number(text);
  if (!Number.isFinite(value)) throw unreadableText('double');
  return value;
}

function truth(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw unreadableText('bool');
}

export const NUMBERS: readonly Overload[] = [...ARITHMETIC, ...CONVERSIONS];
