/** Sizes, texts and bytes from other values, and what type a value is of. */
import { goDouble } from '@binnacle/machinery';
import { concatenation, UNIT, walk } from '../cost/rules.ts';
import { EvaluationError, unreadableText } from '../errors.ts';
import { KeyedList } from '../keyed-list.ts';
import type { Meter } from '../compare.ts';
import { Duration, sizeOf, typeNameOf, TypeValue } from '../values.ts';
import type { Timestamp, Uint, Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';
import { parseDuration, parseTimestamp, SECOND, timestampAt, writeDuration, writeTimestamp } from './time-text.ts';

const same = ([a]: readonly Value[]): Value => a as Value;

const size = ([value = null]: readonly Value[], meter: Meter): Value =>
  BigInt(typeof value === 'string' ? meter.lengthOf(value) : sizeOf(value));

const SIZES: readonly Overload[] = ['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((type) => [
  overload(`size(${type}): int`, size),
  overload(`[${type}].size(): int`, size),
]);

function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** The longest a text can become that a run adds up. */
const TEXT_MAX = 64 * 1024 * 1024;

function joinTexts(a: string, b: string): string {
  if (a.length + b.length > TEXT_MAX) throw new EvaluationError('string is too long');
  return a + b;
}

function joinBytes(a: Uint8Array, b: Uint8Array, meter: Meter): Uint8Array {
  meter.work(a.length + b.length);
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

function joinLists(a: readonly Value[], b: readonly Value[], meter: Meter): readonly Value[] {
  meter.work(a.length + b.length);
  return a instanceof KeyedList ? a.joined(b) : [...a, ...b];
}

const TEXTS: readonly Overload[] = [
  overload('_+_(string, string): string', ([a, b]) => joinTexts(a as string, b as string), concatenation(false)),
  overload(
    '_+_(bytes, bytes): bytes',
    ([a, b], meter) => joinBytes(a as Uint8Array, b as Uint8Array, meter),
    concatenation(false),
  ),
  overload(
    '_+_(list(A), list(A)): list(A)',
    ([a, b], meter) => joinLists(a as readonly Value[], b as readonly Value[], meter),
    concatenation(true),
  ),
  overload('string(string): string', same),
  overload('string(int): string', ([a]) => String(a as bigint)),
  overload('string(uint): string', ([a]) => String((a as Uint).value)),
  overload('string(double): string', ([a]) => goDouble(a as number)),
  overload('string(bool): string', ([a]) => String(a as boolean)),
  overload(
    'string(bytes): string',
    ([a]) => textOfBytes(a as Uint8Array),
    walk({ size: ({ min, max }) => ({ min: min / 4, max }) }),
  ),
  overload('string(timestamp): string', ([a]) => writeTimestamp(a as Timestamp)),
  overload('string(duration): string', ([a]) => writeDuration(a as Duration)),
  overload('bytes(bytes): bytes', same),
  overload(
    'bytes(string): bytes',
    ([a]) => new TextEncoder().encode(a as string),
    walk({ size: ({ min, max }) => ({ min, max: max * 4 }) }),
  ),
];

/** A text as a moment. Throws EvaluationError in cel-go's words. */
function convertTimestamp(text: string): Timestamp {
  const timestamp = parseTimestamp(text);
  if (timestamp === undefined) throw unreadableText('google.protobuf.Timestamp');
  return timestamp;
}

/** A text as a span of time. Throws EvaluationError in cel-go's words. */
function convertDuration(text: string): Duration {
  const duration = parseDuration(text);
  if (duration === undefined) throw unreadableText('google.protobuf.Duration');
  return duration;
}

const MOMENTS: readonly Overload[] = [
  overload('timestamp(timestamp): timestamp', same),
  overload('timestamp(string): timestamp', ([a]) => convertTimestamp(a as string)),
  overload('timestamp(int): timestamp', ([a]) => timestampAt((a as bigint) * SECOND)),
  overload('duration(duration): duration', same),
  overload('duration(string): duration', ([a]) => convertDuration(a as string)),
  overload('duration(int): duration', ([a]) => new Duration(a as bigint)),
];

const TYPES: readonly Overload[] = [
  overload('dyn(A): dyn', same, UNIT),
  overload('type(A): type(A)', ([a = null]) => new TypeValue(typeNameOf(a))),
];

export const CONVERSIONS: readonly Overload[] = [...SIZES, ...TEXTS, ...MOMENTS, ...TYPES];
