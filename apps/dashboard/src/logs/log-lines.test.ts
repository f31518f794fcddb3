import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
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
