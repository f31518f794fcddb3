import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from './cpu-time.ts';

test('work is paid for by what it does, and a wait is not', () => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const waited = cpuMs(() => Atomics.wait(cell, 0, 0, 300));
  let sum = 0;
  const worked = cpuMs(() => {
    for (let at = 0; at < 50_000_000; at++) sum += at % 7;
  });
  assert.ok(sum > 0 && waited < worked, `${waited} and ${worked}`);
});
