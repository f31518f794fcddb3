import { parseGoDuration } from '@binnacle/base';

/** The minutes at which a cron job runs, or the time between two runs (`@every 1h30m`). */
export type CronSchedule = CronFields | { readonly everySeconds: number };

/** Each set holds the numbers that fit. */
export interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** Both kinds of days are restricted: a day that fits either does. Otherwise it must fit both. */
  readonly anyDay: boolean;
  /** Of a prefix `TZ=` or `CRON_TZ=`, which new cron jobs must not have. */
  readonly timeZone?: string;
}

/** The schedule, or what is wrong with its text in the words of upstream's parser. */
export type ParsedSchedule = { readonly schedule: CronSchedule } | { readonly error: string };

/** Reads a schedule of five fields or one of the names with an at sign; errors are in the words of upstream's parser. */
export function parseCronSchedule(text: string): ParsedSchedule {
  if (text === '') return { error: 'empty spec string' };
  const zoned = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s.exec(text);
  const timeZone = zoned?.[1];
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    return { error: `provided bad location ${timeZone}: unknown time zone ${timeZone}` };
  }
  const spec = (zoned?.[2] ?? text).trim();
  const parsed = spec.startsWith('@') ? parseDescriptor(spec) : parseFields(spec);
  if ('error' in parsed || timeZone === undefined) return parsed;
  return { schedule: { ...parsed.schedule, timeZone } };
}

/** A name of the time zone database. */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC' || name === '') return true;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
  /** The number of the first name. */
  readonly firstName: number;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE: Bounds = { min: 0, max: 59, names: [], firstName: 0 };
const HOUR: Bounds = { min: 0, max: 23, names: [], firstName: 0 };
const DAY_OF_MONTH: Bounds = { min: 1, max: 31, names: [], firstName: 0 };
const MONTH: Bounds = { min: 1, max: 12, names: MONTHS, firstName: 1 };
const DAY_OF_WEEK: Bounds = { min: 0, max: 6, names: DAYS, firstName: 0 };

const DESCRIPTORS: { readonly [name: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const EVERY = '@every ';

function parseDescriptor(spec: string): ParsedSchedule {
  const fields = DESCRIPTORS[spec];
  if (fields !== undefined) return parseFields(fields);
  if (!spec.startsWith(EVERY)) return { error: `unrecognized descriptor: ${spec}` };
  const text = spec.slice(EVERY.length);
  // Upstream takes a negative one too; that it makes none is what runs at least a second apart.
  const amount = /^-(?![+-])/.test(text) ? text.slice(1) : text;
  const ms = parseGoDuration(amount, (message) => ({ error: `failed to parse duration ${spec}: ${message}` }));
  if (typeof ms === 'object') return ms;
  // Runs are whole seconds apart, and at least one.
  return { schedule: { everySeconds: amount === text ? Math.max(1, Math.floor(ms / 1000)) : 1 } };
}

interface Field {
  readonly values: ReadonlySet<number>;
  readonly isStar: boolean;
}

type ParsedField = Field | { readonly error: string };

function parseFields(spec: string): ParsedSchedule {
  const texts = spec.split(/\s+/).filter((text) => text !== '');
  if (texts.length !== 5) {
    return { error: `expected exactly 5 fields, found ${texts.length}: [${texts.join(' ')}]` };
  }
  const fields: Field[] = [];
  for (const [at, bounds] of [MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK].entries()) {
    const field = parseField(texts[at] ?? '', bounds);
    if ('error' in field) return field;
    fields.push(field);
  }
  const values = (at: number): ReadonlySet<number> => fields[at]?.values ?? new Set();
  return {
    schedule: {
      minutes: values(0),
      hours: values(1),
      daysOfMonth: values(2),
      months: values(3),
      daysOfWeek: values(4),
      anyDay: fields[2]?.isStar !== true && fields[4]?.isStar !== true,
    },
  };
}

function parseField(text: string, bounds: Bounds): ParsedField {
  const values = new Set<number>();
  let isStar = false;
  for (const part of text.split(',').filter((one) => one !== '')) {
    const range = parseRange(part, bounds);
    if ('error' in range) return range;
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    isStar ||= range.isStar;
  }
  return { values, isStar };
}

type Range = { readonly start: number; readonly end: number; readonly step: number; readonly isStar: boolean };
type Failure = { readonly error: string };

/** `*`, `?`, `3`, `3-7`, `mon-fri`, each with or without `/step`. */
function parseRange(part: string, bounds: Bounds): Range | Failure {
  const slashed = part.split('/');
  const limits = (slashed[0] ?? '').split('-');
  const isStar = limits[0] === '*' || limits[0] === '?';
  const start = isStar ? bounds.min : parseNumber(limits[0] ?? '', bounds);
  if (typeof start !== 'number') return start;
  if (!isStar && limits.length > 2) return { error: `too many hyphens: ${part}` };
  const last = isStar ? bounds.max : limits.length === 2 ? parseNumber(limits[1] ?? '', bounds) : start;
  if (typeof last !== 'number') return last;
  if (slashed.length > 2) return { error: `too many slashes: ${part}` };
  const step = slashed.length === 2 ? parseInteger(slashed[1] ?? '') : 1;
  if (typeof step !== 'number') return step;
  // A start with a step runs to the end.
  const end = slashed.length === 2 && limits.length === 1 ? bounds.max : last;
  const error = rangeError({ start, end, step }, bounds);
  if (error !== undefined) return { error: `${error}: ${part}` };
  return { start, end, step, isStar: isStar && step === 1 };
}

function rangeError(
  { start, end, step }: { readonly start: number; readonly end: number; readonly step: number },
  { min, max }: Bounds,
): string | undefined {
  if (start < min) return `beginning of range (${start}) below minimum (${min})`;
  if (end > max) return `end of range (${end}) above maximum (${max})`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end})`;
  return step === 0 ? 'step of range should be a positive number' : undefined;
}

function parseNumber(text: string, { names, firstName }: Bounds): number | Failure {
  const named = names.indexOf(text.toLowerCase());
  return named === -1 ? parseInteger(text) : named + firstName;
}

function parseInteger(text: string): number | Failure {
  if (!/^[+-]?[0-9]+$/.test(text)) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
    return { error: `failed to parse int from ${text}: ${why}` };
  }
  const value = Number(text);
  return value < 0 ? { error: `negative number (${value}) not allowed: ${text}` } : value;
}
