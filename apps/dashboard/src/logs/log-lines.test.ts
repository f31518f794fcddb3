import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LogLines } from './log-lines.ts';
import type { LogView } from './log-lines.ts';

const textsOf = ({ lines }: LogView): readonly string[] => lines.map(({ text }) => text);

test('the last lines, and those with a word', () => {
  const log = new LogLines();
  log.take('one\ntwo\nth');
  log.take('ree\n');
  deepEqual([textsOf(log.view('')), log.view('').dropped], [['one', 'two', 'three'], 0]);
  deepEqual(textsOf(log.view('TH')), ['three']);
});

test('of very many the last', () => {
  const log = new LogLines();
  for (let part = 0; part < 60; part++)
    log.take(Array.from({ length: 1000 }, (_, at) => `${part * 1000 + at}\n`).join(''));
  const { dropped } = log.view('');
  const lines = textsOf(log.view(''));
  equal(lines.length, 20_000);
  equal(dropped, 40_000);
  equal(lines.at(-1), '59999');
});

test('blank lines are lines, and what is not ended yet is there', () => {
  const log = new LogLines();
  log.take('one\n\n\nask: ');
  deepEqual(textsOf(log.view('')), ['one', '', '', 'ask: ']);
  log.take('yes\n');
  deepEqual(textsOf(log.view('')), ['one', '', '', 'ask: yes']);
});

test('a flood without an end of line is cut, a flood of ends of line is counted', () => {
  const log = new LogLines();
  for (let part = 0; part < 200; part++) log.take('x'.repeat(100_000));
  const lines = textsOf(log.view(''));
  equal(lines.join('').length, 20_000_000);
  equal(Math.max(...lines.map((line) => line.length)), 65_536);
  const flood = new LogLines();
  flood.take('\n'.repeat(1_000_000));
  deepEqual([flood.view('').lines.length, flood.view('').dropped], [20_000, 980_000]);
});

test('of long lines there are fewer: what is kept is bounded by what they say', () => {
  const log = new LogLines();
  const line = 'x'.repeat(65_000);
  for (let count = 0; count < 2_000; count++) log.take(`${line}\n`);
  log.take('last\n');
  const { lines, dropped } = log.view('');
  ok(lines.reduce((sum, { text }) => sum + text.length, 0) <= 32 << 20);
  deepEqual([lines.length + dropped, lines.at(-1)?.text], [2_001, 'last']);
});

test('wherever pieces are cut, the lines are the same', () => {
  const pieces = fc.array(fc.stringMatching(/^[ab\n]{0,20}$/), { maxLength: 30 });
  fc.assert(
    fc.property(pieces, (all) => {
      const [cut, whole] = [new LogLines(), new LogLines()];
      for (const piece of all) cut.take(piece);
      whole.take(all.join(''));
      deepEqual(cut.view(''), whole.view(''));
      equal(textsOf(cut.view('')).join('\n'), all.join('').replace(/\n$/, ''));
    }),
    { seed: 36 },
  );
});

const time = (second: number, fraction = ''): string =>
  `2026-11-22T10:00:${String(second).padStart(2, '0')}${fraction}Z`;
const told = ({ lines }: LogView): string => lines.map(({ source, text }) => `${source}:${text}`).join(' ');

test('several logs are interleaved by their times, whichever comes first', () => {
  const log = new LogLines({ isTimed: true, showsTimes: false });
  log.take(`${time(1)} a\n${time(3, '.25')} c\n${time(5)} e\n`, 0);
  log.take(`${time(2)} b\n${time(3, '.3')} d\n`, 1);
  equal(told(log.view('')), '0:a 1:b 0:c 1:d 0:e');
  log.take(`${time(4)} late\n`, 1);
  equal(told(log.view('')), '0:a 1:b 0:c 1:d 1:late 0:e');
  equal(told(log.view('LATE')), '1:late');
});

test('what one source says stays in its order, and times that are none are no times', () => {
  const log = new LogLines({ isTimed: true, showsTimes: false });
  log.take(`${time(5)} a\n${time(1)} b\nno time\n${time(6)}\n`, 0);
  log.take(`${time(5, '.5')} other\n`, 1);
  equal(told(log.view('')), '0:a 0:b 0:no time 1:other 0:');
});

test('times are shown when they are wanted, and a line that goes on stands at the end', () => {
  const log = new LogLines({ isTimed: true, showsTimes: true });
  log.take(`${time(1)} a\n${time(9)} open`, 0);
  log.take(`${time(2)} b\n`, 1);
  equal(told(log.view('')), `0:${time(1)} a 1:${time(2)} b 0:${time(9)} open`);
});

test('a source that is read anew takes the place of what it said', () => {
  const log = new LogLines({ isTimed: true, showsTimes: false });
  log.take(`${time(1)} a\n${time(2)} ha`, 0);
  log.take(`${time(2)} b\n`, 1);
  log.forget(0);
  equal(told(log.view('')), '1:b');
  log.take(`${time(1)} a\n`, 0);
  equal(told(log.view('')), '0:a 1:b');
});

test('a flood of several sources keeps the newest of all', () => {
  const log = new LogLines({ isTimed: true, showsTimes: false });
  for (let part = 0; part < 50; part++) {
    for (let source = 0; source < 10; source++) {
      log.take(Array.from({ length: 200 }, () => `${time(part)} ${part}\n`).join(''), source);
    }
    log.view('');
  }
  const { lines, dropped } = log.view('');
  deepEqual([lines.length, dropped], [20_000, 80_000]);
  ok(lines.every(({ text }) => Number(text) >= 40));
  for (let source = 0; source < 10; source++) log.forget(source);
  deepEqual(log.view(''), { lines: [], dropped: 0 });
});
