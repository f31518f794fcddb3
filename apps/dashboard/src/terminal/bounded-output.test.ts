import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { boundedOutput } from './bounded-output.ts';

const MEGABYTE = 1024 * 1024;

function terminal() {
  const drawn: (number | string)[] = [];
  const waiting: (() => void)[] = [];
  const write = boundedOutput((output, done) => {
    drawn.push(typeof output === 'string' ? output : output.length);
    waiting.push(done);
  });
  const draw = (): void => {
    for (const done of waiting.splice(0)) done();
  };
  return { drawn, draw, write };
}

test('what is drawn as it comes is drawn whole', () => {
  const { drawn, draw, write } = terminal();
  for (let times = 0; times < 100; times++) {
    write(new Uint8Array(MEGABYTE));
    draw();
  }
  deepEqual([drawn.length, drawn.every((one) => one === MEGABYTE)], [100, true]);
});

test('of a flood a part is left out, in one place, and said to be', () => {
  const { drawn, draw, write } = terminal();
  for (let times = 0; times < 100; times++) write(new Uint8Array(MEGABYTE));
  equal(drawn.length, 8);
  write(new Uint8Array(1));
  equal(drawn.length, 8, 'what is small is left out too, behind what was');
  draw();
  deepEqual(drawn.slice(8), [`\r\n[${92 * MEGABYTE + 1} bytes came faster than they can be shown]\r\n`]);
  draw();
  write(new Uint8Array(5));
  deepEqual(drawn.slice(9), [5]);
});

test('one piece that is too large to be shown is said to be, and what comes after it is shown', () => {
  const { drawn, draw, write } = terminal();
  write(new Uint8Array(9 * MEGABYTE));
  deepEqual(drawn, [`\r\n[${9 * MEGABYTE} bytes came faster than they can be shown]\r\n`]);
  draw();
  write(new Uint8Array(5));
  deepEqual(drawn.slice(1), [5]);
});
