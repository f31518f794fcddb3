/** The parts of moments, in UTC or in a named zone, and of durations. */
import type { Meter } from '../compare.ts';
import { EvaluationError } from '../errors.ts';
import type { Duration, Timestamp, Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';
import { SECOND } from './time-text.ts';

const DAY_MS = 86_400_000;

const PARTS: readonly (readonly [name: string, part: (at: Date) => number])[] = [
  ['getFullYear', (at) => at.getUTCFullYear()],
  ['getMonth', (at) => at.getUTCMonth()],
  ['getDate', (at) => at.getUTCDate()],
  ['getDayOfMonth', (at) => at.getUTCDate() - 1],
  ['getDayOfYear', (at) => Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / DAY_MS)],
  ['getDayOfWeek', (at) => at.getUTCDay()],
  ['getHours', (at) => at.getUTCHours()],
  ['getMinutes', (at) => at.getUTCMinutes()],
  ['getSeconds', (at) => at.getUTCSeconds()],
  ['getMilliseconds', (at) => at.getUTCMilliseconds()],
];

/** A moment as the clock on the wall of a zone shows it, written as if that were UTC. */
function wallTime(
  value: Value | undefined,
  inZone?: { readonly zone: Value | undefined; readonly meter: Meter },
): Date {
  const { nanos } = value as Timestamp;
  const rest = ((nanos % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const ms = Number((nanos - rest) / 1_000_000n);
  return new Date(inZone === undefined ? ms : ms + offsetMs(ms, inZone.zone as string, inZone.meter));
}

/** Steps of work that it takes to read a zone, and to ask one for its offset: microseconds where other work takes nanoseconds. */
const READ_WORK = 5000;
const ASK_WORK = 200;
/** No zone has a longer name. */
const ZONE_MAX = 100;
/** Zones are few and used often. Beyond that they are read anew. */
const KEPT_MAX = 50;
/** Bounded: by `KEPT_MAX`. */
const kept = new Map<string, Intl.DateTimeFormat>();

/** Throws RangeError for what is no zone. */
function formatOf(zone: string, meter: Meter): Intl.DateTimeFormat {
  const known = kept.get(zone);
  if (known !== undefined) return known;
  meter.work(READ_WORK);
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  if (kept.size >= KEPT_MAX) kept.clear();
  kept.set(zone, made);
  return made;
}

function offsetMs(ms: number, zone: string, meter: Meter): number {
  const [, sign, hours, minutes] = /^([-+]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const unknown = new EvaluationError(`unknown time zone ${zone.slice(0, ZONE_MAX)}`);
  if (zone.length > ZONE_MAX) throw unknown;
  meter.work(ASK_WORK);
  try {
    const name =
      formatOf(zone || 'UTC', meter)
        .formatToParts(ms)
        .find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, ahead, h = '0', m = '0', s = '0'] = /GMT([-+])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    return (ahead === '-' ? -1 : 1) * (Number(h) * 3600 + Number(m) * 60 + Number(s)) * 1000;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unknown;
  }
}

const WHOLE_UNITS: readonly (readonly [name: string, unit: bigint])[] = [
  ['getHours', 3600n * SECOND],
  ['getMinutes', 60n * SECOND],
  ['getSeconds', SECOND],
];

export const TIMES: readonly Overload[] = [
  ...PARTS.flatMap(([name, part]) => [
    overload(`[timestamp].${name}(): int`, ([at]) => BigInt(part(wallTime(at)))),
    overload(`[timestamp].${name}(string): int`, ([at, zone], meter) => BigInt(part(wallTime(at, { zone, meter })))),
  ]),
  ...WHOLE_UNITS.map(([name, unit]) => overload(`[duration].${name}(): int`, ([a]) => (a as Duration).nanos / unit)),
  overload('[duration].getMilliseconds(): int', ([a]) => ((a as Duration).nanos / 1_000_000n) % 1000n),
];
