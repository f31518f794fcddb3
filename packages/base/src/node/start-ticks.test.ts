import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTicks } from './start-ticks.ts';

test('a process has one start, and one that is not there has none', { skip: process.platform !== 'linux' }, () => {
  assert.match(startTicks(process.pid), /^[1-9]\d*$/);
  assert.equal(startTicks(process.pid), startTicks(process.pid));
  assert.ok(Number(startTicks(process.ppid)) <= Number(startTicks(process.pid)));
  assert.equal(startTicks(2 ** 30), '');
});
