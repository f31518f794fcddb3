import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCronSchedule } from './cron-schedule.ts';

const numbers = (set: ReadonlySet<number>): number[] => [...set].sort((a, b) => a - b);

describe('cron schedules', () => {
  // Provenance of the messages: the parser that upstream uses, robfig/cron v3, parser.go.
  const wrong: [text: string, error: string][] = [
    ['', 'empty spec string'],
    ['* * *', 'expected exactly 5 fields, found 3: [* * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['foo * * * *', 'failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['@often', 'unrecognized descriptor: @often'],
    ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ['@every -+5s', 'failed to parse duration @every -+5s: time: invalid duration "-+5s"'],
    ['TZ=Nowhere/Land * * * * *', 'provided bad location Nowhere/Land: unknown time zone Nowhere/Land'],
  ];
  for (const [text, error] of wrong) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.deepEqual(parseCronSchedule(text), { error }));
  }

  it('reads lists, ranges, steps and names', () => {
    const parsed = parseCronSchedule('0,30 9-17/4 */10 JAN-mar mon-fri');
    assert.ok('schedule' in parsed && 'minutes' in parsed.schedule);
    const { schedule } = parsed;
    assert.deepEqual(numbers(schedule.minutes), [0, 30]);
    assert.deepEqual(numbers(schedule.hours), [9, 13, 17]);
    assert.deepEqual(numbers(schedule.daysOfMonth), [1, 11, 21, 31]);
    assert.deepEqual(numbers(schedule.months), [1, 2, 3]);
    assert.deepEqual(numbers(schedule.daysOfWeek), [1, 2, 3, 4, 5]);
    assert.equal(schedule.anyDay, true);
  });

  it('lets a start with a step run to the end', () => {
    const parsed = parseCronSchedule('50/5 * * * ?');
    assert.ok('schedule' in parsed && 'minutes' in parsed.schedule);
    assert.deepEqual(numbers(parsed.schedule.minutes), [50, 55]);
    assert.equal(parsed.schedule.anyDay, false);
  });

  it('knows the named ones, and durations', () => {
    const weekly = parseCronSchedule('@weekly');
    assert.ok('schedule' in weekly && 'minutes' in weekly.schedule);
    assert.deepEqual(numbers(weekly.schedule.daysOfWeek), [0]);
    assert.deepEqual(parseCronSchedule('@every 1h30m'), { schedule: { everySeconds: 5400 } });
    assert.deepEqual(parseCronSchedule('@every 1ms'), { schedule: { everySeconds: 1 } });
    for (const short of ['0', '.5s', '-1h', '1500\u03bcs'])
      assert.deepEqual(parseCronSchedule(`@every ${short}`), { schedule: { everySeconds: 1 } }, short);
    assert.deepEqual(parseCronSchedule('@every +.5h'), { schedule: { everySeconds: 1800 } });
  });

  it('keeps the zone of a prefix', () => {
    const parsed = parseCronSchedule('CRON_TZ=Europe/Berlin 0 0 * * *');
    assert.ok('schedule' in parsed && 'minutes' in parsed.schedule);
    assert.equal(parsed.schedule.timeZone, 'Europe/Berlin');
  });
});
