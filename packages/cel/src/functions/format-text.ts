/** `'%s is %d'.format([a, b])`. */
import { goDouble } from '@binnacle/machinery';
import type { Meter } from '../compare.ts';
import { EvaluationError } from '../errors.ts';
import { Duration, MapValue, Timestamp, TypeValue, typeNameOf, Uint } from '../values.ts';
import type { Value } from '../values.ts';
import { quoteText } from './quote.ts';
import { writeDuration, writeTimestamp } from './time-text.ts';

const CLAUSE = /%(?:%|(?:\.(\d+))?([a-zA-Z]))?/g;
/** Digits after the point, where a clause names none, and the most that one may name. */
const PRECISION = 6;
const PRECISION_MAX = 100;

/** Puts arguments into a template. Throws EvaluationError. */
export function formatText(template: string, args: readonly Value[], meter: Meter): string {
  let next = 0;
  return template.replaceAll(CLAUSE, (clause: string, precision: string | undefined, verb: string | undefined) => {
    if (clause === '%%') return '%';
    if (verb === undefined) throw new EvaluationError('unexpected end of string');
    if (next >= args.length) throw new EvaluationError(`index ${next} out of range`);
    const shown = format(verb, args[next++] as Value, { precision, meter });
    meter.work(shown.length);
    return shown;
  });
}

function format(verb: string, value: Value, by: { precision: string | undefined; meter: Meter }): string {
  switch (verb) {
    case 's':
      return showValue(value, by.meter);
    case 'd':
      return decimal(value);
    case 'f':
    case 'e':
      return fraction(verb, value, by.precision);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : whole(value, 'binary').toString(2);
    case 'o':
      return whole(value, 'octal').toString(8);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function decimal(value: Value): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (typeof value === 'number') return writeSpecial(value) ?? goDouble(value);
  throw mismatch('decimal clause can only be used on integers', value);
}

function whole(value: Value, name: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  const more = name === 'binary' ? 'integers and bools' : 'integers';
  throw mismatch(`${name} clause can only be used on ${more}`, value);
}

function hexadecimal(value: Value): string {
  if (typeof value === 'bigint') return value.toString(16);
  if (value instanceof Uint) return value.value.toString(16);
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  throw mismatch('hex clause can only be used on integers, byte buffers, and strings', value);
}

function fraction(verb: 'f' | 'e', value: Value, precision: string | undefined): string {
  const number = typeof value === 'string' && /^(?:NaN|-?Infinity)$/.test(value) ? Number(value) : value;
  const name = verb === 'f' ? 'fixed-point' : 'scientific';
  if (typeof number !== 'number') throw mismatch(`${name} clause can only be used on doubles`, value);
  const digits = Math.min(PRECISION_MAX, precision === undefined ? PRECISION : Number(precision));
  const special = writeSpecial(number);
  if (special !== undefined) return special;
  if (verb === 'f') return fixed(number, digits);
  const [mantissa = '', exponent = ''] = number.toExponential(digits).split('e');
  const power = exponent.slice(1).padStart(2, '0');
  return `${mantissa}e${exponent.startsWith('-') ? '-' : '+'}${power}`;
}

/** Halves go to the even neighbour. */
function fixed(value: number, digits: number): string {
  const rounded = value.toFixed(digits);
  const exact = value.toFixed(Math.min(PRECISION_MAX, digits + 30));
  const isHalf = /^50*$/.test(exact.slice(exact.indexOf('.') + 1 + digits));
  if (!isHalf || /[02468]$/.test(rounded)) return rounded;
  return exact.slice(0, exact.indexOf('.') + (digits === 0 ? 0 : 1 + digits));
}

function writeSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value < 0 ? '-Infinity' : 'Infinity';
}

/** A value as a text shows it. Throws EvaluationError for what cannot be shown. */
export function showValue(value: Value, meter: Meter): string {
  meter.work(1);
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return writeSpecial(value) ?? goDouble(value);
  if (typeof value === 'bigint' || typeof value === 'boolean' || value === null) return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(value);
  if (value instanceof Timestamp) return writeTimestamp(value);
  if (value instanceof Duration) return writeDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (Array.isArray(value))
    return `[${(value as readonly Value[]).map((item) => shownInside(item, meter)).join(', ')}]`;
  if (value instanceof MapValue) return showMap(value, meter);
  throw mismatch(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  );
}

function showMap(map: MapValue, meter: Meter): string {
  const shown: string[] = [];
  for (const key of map.keys()) {
    shown.push(`${shownInside(key, meter)}:${shownInside(map.get(key) ?? null, meter)}`);
  }
  return `{${shown.toSorted((a, b) => (a < b ? -1 : 1)).join(', ')}}`;
}

function shownInside(value: Value, meter: Meter): string {
  const shown = showValue(value, meter);
  if (typeof value === 'string') return quoteText(shown);
  if (value instanceof Uint8Array) return `b${quoteText(shown)}`;
  if (value instanceof Timestamp) return `timestamp(${quoteText(shown)})`;
  if (value instanceof Duration) return `duration(${quoteText(shown)})`;
  return typeof value === 'number' && !Number.isFinite(value) ? quoteText(shown) : shown;
}

function mismatch(what: string, value: Value): EvaluationError {
  return new EvaluationError(`error during formatting: ${what}, was given ${typeNameOf(value)}`);
}
