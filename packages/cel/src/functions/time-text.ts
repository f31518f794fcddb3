/** Moments and durations as texts. */
import { EvaluationError } from '../errors.ts';
import { Duration, Timestamp } from '../values.ts';

export const SECOND = 1_000_000_000n;
const INT_MAX = 2n ** 63n - 1n;
/** The years 1 to 9999, in seconds since the epoch. */
const SECONDS_MIN = -62_135_596_800n;
const SECONDS_MAX = 253_402_300_799n;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', 60n * SECOND],
  ['h', 3600n * SECOND],
]);
const PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
/** No duration says more with more characters. */
const LENGTH_MAX = 200;

/** Go's text of a duration, `1h30m`. Throws EvaluationError in Go's words. */
export function readDuration(text: string): Duration {
  const duration = parseDuration(text);
  if (duration !== undefined) return duration;
  throw new EvaluationError(`time: invalid duration ${JSON.stringify(text.slice(0, LENGTH_MAX))}`);
}

/** As `readDuration`; undefined for what is none. */
export function parseDuration(text: string): Duration | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const sign = /^[-+]/.exec(text)?.[0] ?? '';
  const body = text.slice(sign.length);
  if (body === '0') return new Duration(0n);
  if (body === '') return undefined;
  let nanos = 0n;
  for (let at = 0; at < body.length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const [, whole = '', fraction = '', unit = ''] = PART.exec(body) ?? [];
    const scale = UNITS.get(unit);
    if (scale === undefined || whole + fraction === '') return undefined;
    nanos += BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
  }
  const isNegative = sign === '-';
  if (nanos > INT_MAX + (isNegative ? 1n : 0n)) return undefined;
  return new Duration(isNegative ? -nanos : nanos);
}

/** In seconds with a fraction, `5400s`, as CEL writes durations. */
export function writeDuration({ nanos }: Duration): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = String(magnitude % SECOND)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${magnitude / SECOND}${fraction === '' ? '' : `.${fraction}`}s`;
}

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(Z|[-+]\d\d:\d\d)$/;

/** RFC 3339. Throws EvaluationError. */
export function readTimestamp(text: string): Timestamp {
  const timestamp = parseTimestamp(text);
  if (timestamp !== undefined) return timestamp;
  throw new EvaluationError(`parsing time ${JSON.stringify(text.slice(0, LENGTH_MAX))} as RFC 3339: cannot parse`);
}

/** As `readTimestamp`; undefined for what is none. Throws EvaluationError for a moment beyond the years that there are. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const found = text.length > LENGTH_MAX ? null : MOMENT.exec(text);
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = found ?? [];
  const plain = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  const ms = found === null ? Number.NaN : Date.parse(plain);
  const offset = found === null ? undefined : zoneSeconds(zone);
  if (offset === undefined || Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(day)) {
    return undefined;
  }
  const seconds = BigInt(ms / 1000) - offset;
  return timestampAt(seconds * SECOND + BigInt(fraction.padEnd(9, '0')));
}

/** Undefined for what Go takes for no zone: it lets 24 hours and 60 minutes pass. */
function zoneSeconds(zone: string): bigint | undefined {
  if (zone === 'Z') return 0n;
  const [hours, minutes] = [BigInt(zone.slice(1, 3)), BigInt(zone.slice(4, 6))];
  if (hours > 24n || minutes > 60n) return undefined;
  const seconds = hours * 3600n + minutes * 60n;
  return zone.startsWith('-') ? -seconds : seconds;
}

/** A moment within the years 1 to 9999. Throws EvaluationError. */
export function timestampAt(nanos: bigint): Timestamp {
  if (nanos < SECONDS_MIN * SECOND || nanos >= (SECONDS_MAX + 1n) * SECOND)
    throw new EvaluationError('timestamp overflow');
  return new Timestamp(nanos);
}

/** RFC 3339 in UTC, with as much of a fraction as is needed. */
export function writeTimestamp({ nanos }: Timestamp): string {
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  const whole = new Date(Number((nanos - rest) / 1_000_000n)).toISOString().slice(0, 19);
  const fraction = String(rest).padStart(9, '0').replace(/0+$/, '');
  return `${whole}${fraction === '' ? '' : `.${fraction}`}Z`;
}
