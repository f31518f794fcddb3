import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LogLines } from './log-lines.ts';

test('the last lines, and those with a word', () => {
  const log = new LogLines();
  log.take('one\ntwo\nth');
  log.take('ree\n');
  deepEqual(log.view(''), { lines: ['one', 'two', 'three'], dropped: 0 });
  deepEqual(log.view('TH').lines, ['three']);
});

test('of very many the last', () => {
  const log = new LogLines();
  for (let part = 0; part < 60; part++)
    log.take(Array.from({ length: 1000 }, (_, at) => `${part * 1000 + at}\n`).join(''));
  const { lines, dropped } = log.view('');
  equal(lines.length, 20_000);
  equal(dropped, 40_000);
  equal(lines.at(-1), '59999');
});

test('blank lines are lines, and what is not ended yet is there', () => {
  const log = new LogLines();
  log.take('one\n\n\nask: ');
  deepEqual(log.view('').lines, ['one', '', '', 'ask: ']);
  log.take('yes\n');
  deepEqual(log.view('').lines, ['one', '', '', 'ask: yes']);
});

test('a flood without an end of line is cut, a flood of ends of line is counted', () => {
  const log = new LogLines();
  for (let part = 0; part < 200; part++) log.take('x'.repeat(100_000));
  const { lines } = log.view('');
  equal(lines.join('').length, 20_000_000);
  equal(Math.max(...lines.map((line) => line.length)), 65_536);
  const flood = new LogLines();
  flood.take('\n'.repeat(1_000_000));
  deepEqual([flood.view('').lines.length, flood.view('').dropped], [20_000, 980_000]);
});

test('wherever pieces are cut, the lines are the same', () => {
  const pieces = fc.array(fc.stringMatching(/^[ab\n]{0,20}$/), { maxLength: 30 });
  fc.assert(
    fc.property(pieces, (all) => {
      const [cut, whole] = [new LogLines(), new LogLines()];
      for (const piece of all) cut.take(piece);
      whole.take(all.join(''));
      deepEqual(cut.view(''), whole.view(''));
      equal(cut.view('').lines.join('\n'), all.join('').replace(/\n$/, ''));
    }),
    { seed: 36 },
  );
});
