import type { CronFields, CronSchedule } from '@binnacle/api';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A schedule that does not come true for so long never does (30 February). */
const YEARS_MAX = 5;
/** Beyond this many missed times something is wrong with a clock or a deadline. */
const MISSED_MAX = 100;

/** The fields of a wall clock. */
interface Wall {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  /** From 1. */
  readonly month: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** Reads the wall clock of a time zone, ms since the epoch in, fields out. */
export type WallClock = (ms: number) => Wall;

/** The wall clock of a zone of the time zone database; UTC when there is none. Throws RangeError for an unknown one. */
export function wallClockOf(timeZone: string | undefined): WallClock {
  if (timeZone === undefined || timeZone === '' || timeZone === 'UTC') return utcClock;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    day: 'numeric',
    month: 'numeric',
    year: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (ms) => {
    const fields: { [type: string]: number } = {};
    for (const { type, value } of format.formatToParts(ms)) fields[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = fields;
    return { minute, hour, day, month, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay() };
  };
}

function utcClock(ms: number): Wall {
  const date = new Date(ms);
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
}

/**
 * The first time after `afterMs` at which the schedule comes true by that wall clock, ms since the epoch; undefined
 * for one that never does. What a clock skips when it is put forward is skipped, what it shows twice comes twice.
 */
export function nextTimeMs(schedule: CronSchedule, afterMs: number, clock: WallClock): number | undefined {
  if ('everySeconds' in schedule) return wholeSecond(afterMs) + schedule.everySeconds * 1000;
  const limit = afterMs + YEARS_MAX * 366 * 24 * HOUR_MS;
  let at = Math.floor(afterMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  while (at <= limit) {
    const wall = clock(at);
    if (!fitsDay(schedule, wall)) at = nextMidnightMs(at, wall, clock);
    else if (!schedule.hours.has(wall.hour)) at += (60 - wall.minute) * MINUTE_MS;
    else if (!schedule.minutes.has(wall.minute)) at += MINUTE_MS;
    else return at;
  }
  return undefined;
}

/**
 * The first time after `nowMs` at which the schedule comes true; undefined for one that never does. `@every` counts from
 * `sinceMs`, when it came true last or began, so that nobody who looks in between puts it off.
 */
export function upcomingTimeMs(
  schedule: CronSchedule,
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
  clock: WallClock,
): number | undefined {
  if (!('everySeconds' in schedule)) return nextTimeMs(schedule, nowMs, clock);
  const stepMs = schedule.everySeconds * 1000;
  return wholeSecond(sinceMs) + (roundsUntil(nowMs, { sinceMs, stepMs }) + 1) * stepMs;
}

/**
 * The latest time that came true after `earliestMs` and not after `nowMs`, and whether suspiciously many did. `@every`
 * counts from `sinceMs`: a deadline that is shorter than its step must not move it on for ever.
 */
export function latestTimeMs(
  schedule: CronSchedule,
  span: { readonly sinceMs: number; readonly earliestMs: number; readonly nowMs: number },
  clock: WallClock,
): { readonly latestMs: number | undefined; readonly tooMany: boolean } {
  const { sinceMs, earliestMs, nowMs } = span;
  if ('everySeconds' in schedule) {
    const stepMs = schedule.everySeconds * 1000;
    const passed = roundsUntil(nowMs, { sinceMs, stepMs });
    const missed = passed - roundsUntil(earliestMs, { sinceMs, stepMs });
    const latestMs = missed > 0 ? wholeSecond(sinceMs) + passed * stepMs : undefined;
    return { latestMs, tooMany: missed > MISSED_MAX };
  }
  let latestMs: number | undefined;
  let from = earliestMs;
  for (let missed = 0; missed <= MISSED_MAX; missed++) {
    const next = nextTimeMs(schedule, from, clock);
    if (next === undefined || next > nowMs) return { latestMs, tooMany: false };
    latestMs = next;
    from = next;
  }
  return { latestMs: latestBeforeMs(schedule, { earliestMs: from, nowMs }, clock), tooMany: true };
}

/** How often `@every` has come true up to `atMs`. */
function roundsUntil(atMs: number, { sinceMs, stepMs }: { readonly sinceMs: number; readonly stepMs: number }): number {
  return Math.max(0, Math.floor((atMs - wholeSecond(sinceMs)) / stepMs));
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Halves what is left between a time that came true and now, so that a year of missed minutes is not walked through. */
function latestBeforeMs(
  schedule: CronFields,
  { earliestMs, nowMs }: { readonly earliestMs: number; readonly nowMs: number },
  clock: WallClock,
): number {
  let [latestMs, endMs] = [earliestMs, nowMs];
  while (endMs - latestMs >= MINUTE_MS) {
    const middleMs = latestMs + (endMs - latestMs) / 2;
    const next = nextTimeMs(schedule, middleMs, clock);
    if (next !== undefined && next <= endMs) latestMs = next;
    else endMs = middleMs;
  }
  return latestMs;
}

/** When both kinds of days are restricted either may fit, otherwise both must. */
function fitsDay(schedule: CronFields, { month, day, weekday }: Wall): boolean {
  if (!schedule.months.has(month)) return false;
  const [byDay, byWeekday] = [schedule.daysOfMonth.has(day), schedule.daysOfWeek.has(weekday)];
  return schedule.anyDay ? byDay || byWeekday : byDay && byWeekday;
}

/** The first minute of the next day, also where a day has 23 or 25 hours. */
function nextMidnightMs(at: number, wall: Wall, clock: WallClock): number {
  const guess = at + (24 * 60 - wall.hour * 60 - wall.minute) * MINUTE_MS;
  const there = clock(guess);
  // A longer day: still the same one, an hour or so before its end.
  if (there.day === wall.day) return guess;
  const back = guess - (there.hour * 60 + there.minute) * MINUTE_MS;
  return back > at && clock(back).day === there.day ? back : guess;
}
