import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { parseCronSchedule } from '@binnacle/api';
import type { CronSchedule } from '@binnacle/api';
import { latestTimeMs, nextTimeMs, wallClockOf } from './times.ts';

function parse(text: string): CronSchedule {
  const parsed = parseCronSchedule(text);
  assert.ok('schedule' in parsed, text);
  return parsed.schedule;
}

const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString());

for (const [name, schedule, zone, after, expected] of [
  ['each minute', '* * * * *', 'UTC', '2026-01-01T00:00:30Z', '2026-01-01T00:01:00.000Z'],
  ['strictly after', '0 0 * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00.000Z'],
  ['the last of February', '0 12 29 2 *', 'UTC', '2026-01-01T00:00:00Z', '2028-02-29T12:00:00.000Z'],
  ['never', '0 0 30 2 *', 'UTC', '2026-01-01T00:00:00Z', undefined],
  ['either day', '0 0 13 * fri', 'UTC', '2026-01-03T00:00:00Z', '2026-01-09T00:00:00.000Z'],
  ['in Berlin', '30 6 * * *', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T04:30:00.000Z'],
  ['skipped in spring', '30 2 * * *', 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-30T00:30:00.000Z'],
  ['twice in autumn', '30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00.000Z'],
  ['midnight after a long day', '0 0 * * mon', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00.000Z'],
  ['midnight that is skipped', '0 1 * * *', 'America/Havana', '2026-03-08T04:00:00Z', '2026-03-08T05:00:00.000Z'],
  ['every so often', '@every 1h30m', 'UTC', '2026-01-01T00:00:10.500Z', '2026-01-01T01:30:10.000Z'],
] as const) {
  test(`next: ${name}`, () => {
    assert.equal(iso(nextTimeMs(parse(schedule), Date.parse(after), wallClockOf(zone))), expected);
  });
}

test('next is the first minute that fits, by going through all minutes', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = createSeededRandom(seed);
    const number = (below: number) => (randomBelow(random, 3) === 0 ? '*' : String(randomBelow(random, below)));
    const text = `${number(60)} ${number(24)} * * ${randomBelow(random, 2) === 0 ? '*' : randomBelow(random, 7)}`;
    const schedule = parse(text);
    const zone = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'][randomBelow(random, 4)];
    const clock = wallClockOf(zone);
    const after = Date.parse('2026-03-01T00:00:00Z') + randomBelow(random, 300 * 24 * 60) * 60_000;
    let naive = after + 60_000;
    const fits = (at: number): boolean => {
      const wall = clock(at);
      if ('everySeconds' in schedule) return false;
      const { minutes, hours, daysOfWeek } = schedule;
      return minutes.has(wall.minute) && hours.has(wall.hour) && daysOfWeek.has(wall.weekday);
    };
    while (!fits(naive)) naive += 60_000;
    assert.equal(iso(nextTimeMs(schedule, after, clock)), iso(naive), `seed ${seed}: ${text} in ${zone}`);
  }
});

for (const [name, schedule, earliest, now, latest, tooMany] of [
  ['none yet', '0 * * * *', '2026-01-01T00:10:00Z', '2026-01-01T00:50:00Z', undefined, false],
  ['one', '0 * * * *', '2026-01-01T00:10:00Z', '2026-01-01T01:50:00Z', '2026-01-01T01:00:00.000Z', false],
  ['some', '0 * * * *', '2026-01-01T00:10:00Z', '2026-01-01T05:00:00Z', '2026-01-01T05:00:00.000Z', false],
  ['a year of minutes', '* * * * *', '2025-01-01T00:00:00Z', '2026-01-01T05:00:30Z', '2026-01-01T05:00:00.000Z', true],
  ['years of Mondays', '0 9 * * 1', '2016-01-01T00:00:00Z', '2026-01-02T05:00:30Z', '2025-12-29T09:00:00.000Z', true],
  ['many, long ago', '* * 1 1 *', '2026-01-01T00:00:00Z', '2026-01-20T05:00:30Z', '2026-01-01T23:59:00.000Z', true],
  ['every second', '@every 1s', '2025-01-01T00:00:00Z', '2026-01-01T05:00:30Z', '2026-01-01T05:00:30.000Z', true],
] as const) {
  test(`latest: ${name}`, () => {
    const span = { sinceMs: Date.parse(earliest), earliestMs: Date.parse(earliest), nowMs: Date.parse(now) };
    const found = latestTimeMs(parse(schedule), span, wallClockOf('UTC'));
    assert.deepEqual([iso(found.latestMs), found.tooMany], [latest, tooMany]);
  });
}
