/** When values are equal, and which comes first. */
import { EvaluationError } from './errors.ts';
import { KeyedList } from './keyed-list.ts';
import { Duration, LibraryValue, MapValue, Optional, Timestamp, TypeValue, Uint } from './values.ts';
import type { Value } from './values.ts';

/** Counts work that no cost says, so that no expression can make it without bound. */
export interface Meter {
  /** Throws CostError when there was too much. */
  work(units: number): void;
  /** How many characters a text has. It costs next to nothing by upstream's count: a long one is counted once. */
  lengthOf(text: string): number;
}

/** Characters that the platform compares in the time of one unit of work. */
const COMPARED_PER_WORK = 64;

/** Numbers of all kinds as what JavaScript compares exactly; undefined for other values. */
function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

/** CEL's equality: numbers by what they are worth, lists and maps by what is in them, different types never. */
export function isEqual(a: Value, b: Value, meter: Meter): boolean {
  if (typeof a === 'string' || typeof b === 'string') {
    if (typeof a === 'string' && typeof b === 'string' && a.length === b.length)
      meter.work(a.length / COMPARED_PER_WORK);
    return a === b;
  }
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return orderNumbers(x, y) === 0;
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  meter.work(1);
  if (a instanceof MapValue) return b instanceof MapValue && areMapsEqual(a, b, meter);
  if (Array.isArray(a) || a instanceof Uint8Array) return areRowsEqual(a as readonly Value[], b as Value, meter);
  return areMadeEqual(a as Value, b as Value, meter);
}

function areRowsEqual(a: readonly Value[], b: Value, meter: Meter): boolean {
  if (a instanceof KeyedList && Array.isArray(b)) {
    meter.work(a.length);
    return a.hasAll(b as readonly Value[], (x, y) => isEqual(x, y, meter));
  }
  const isBytes = ArrayBuffer.isView(a);
  if (!(isBytes ? b instanceof Uint8Array : Array.isArray(b))) return false;
  const other = b as readonly Value[];
  if (a.length !== other.length) return false;
  meter.work(a.length);
  for (let i = 0; i < a.length; i++) {
    if (isBytes ? a[i] !== other[i] : !isEqual(a[i] as Value, other[i] as Value, meter)) return false;
  }
  return true;
}

function areMadeEqual(a: Value, b: Value, meter: Meter): boolean {
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof LibraryValue) return b instanceof LibraryValue && a.typeName === b.typeName && a.isEqualTo(b);
  if (!(a instanceof Optional) || !(b instanceof Optional)) return false;
  return a.value === undefined || b.value === undefined ? a.value === b.value : isEqual(a.value, b.value, meter);
}

function areMapsEqual(a: MapValue, b: MapValue, meter: Meter): boolean {
  if (a.size !== b.size) return false;
  meter.work(a.size);
  for (const key of a.keys()) {
    const [mine, other] = [a.get(key), b.get(key)];
    if (mine === undefined || other === undefined || !isEqual(mine, other, meter)) return false;
  }
  return true;
}

/** Less than, equal or greater: -1, 0, 1; undefined where either is no number. Throws where they cannot be compared. */
export function compareValues(a: Value, b: Value): number | undefined {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return orderNumbers(x, y);
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(Number(a), Number(b));
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  throw new EvaluationError('no such overload');
}

/** Whole numbers exactly, and as doubles beside a double; undefined where one is no number. */
function orderNumbers(a: bigint | number, b: bigint | number): number | undefined {
  if (typeof a === typeof b && typeof a === 'bigint') return order(a, b);
  const [x, y] = [Number(a), Number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? undefined : order(x, y);
}

function order(a: bigint | number, b: bigint | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By code points, as UTF-8 sorts; UTF-16 would put rare characters before some common ones. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? order(x, y) : isSurrogate(x) ? 1 : -1;
  }
  return order(a.length, b.length);
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return order(difference, 0);
  }
  return order(a.length, b.length);
}
