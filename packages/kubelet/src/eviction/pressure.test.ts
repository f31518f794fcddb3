import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALM, lookAtPressure, pressureOf } from './pressure.ts';
import type { PressureHistory, PressureLook } from './pressure.ts';
import { readThresholds } from './thresholds.ts';
import type { Signal, Supply } from './thresholds.ts';

const thresholds = readThresholds({
  hard: { 'nodefs.available': '10%', 'memory.available': '100' },
  soft: { 'memory.available': '200' },
  softGraceMs: { 'memory.available': 60_000 },
  minimumReclaim: { 'memory.available': '50' },
});

function look(nowMs: number, left: { memory?: number; disk?: number }, before: PressureHistory = CALM): PressureLook {
  const supplies = new Map<Signal, Supply>([
    ['memory.available', { available: left.memory ?? 1_000, capacity: 1_000 }],
    ['nodefs.available', { available: left.disk ?? 100, capacity: 100 }],
  ]);
  return lookAtPressure(before, thresholds, { supplies, nowMs, transitionMs: 300_000 });
}
const due = ({ due: all }: PressureLook): string[] => all.map(({ threshold }) => threshold.text);

test('enough of everything', () => {
  const { pressure, due: all } = look(0, {});
  assert.deepEqual([pressure, all], [{ memory: false, disk: false, pid: false }, []]);
});

test('a hard threshold is due at once, memory before disk', () => {
  const both = look(0, { memory: 99, disk: 5 });
  assert.deepEqual(due(both), ['100', '10%']);
  assert.deepEqual(both.pressure, { memory: true, disk: true, pid: false });
});

test('a soft one presses at once and is due after its grace; relief in between begins it anew', () => {
  const first = look(0, { memory: 150 });
  assert.deepEqual([due(first), first.pressure.memory], [[], true]);
  const later = look(60_000, { memory: 150 }, first.history);
  assert.deepEqual(due(later), ['200']);
  const relieved = look(61_000, { memory: 900 }, first.history);
  assert.deepEqual(due(look(120_000, { memory: 150 }, relieved.history)), []);
});

test('it is past only with what was to be reclaimed on top', () => {
  const met = look(0, { memory: 90 });
  assert.ok(due(look(1, { memory: 149 }, met.history)).includes('100'));
  assert.deepEqual(due(look(1, { memory: 260 }, met.history)), []);
});

test('the node goes on to say so for a while', () => {
  const met = look(0, { disk: 1 });
  const soon = look(299_000, {}, met.history);
  assert.equal(soon.pressure.disk, true);
  assert.equal(look(300_000, {}, soon.history).pressure.disk, false);
});

const presses: readonly (readonly [Signal, string])[] = [
  ['memory.available', 'memory'],
  ['allocatableMemory.available', 'memory'],
  ['pid.available', 'pid'],
  ['nodefs.inodesFree', 'disk'],
  ['containerfs.available', 'disk'],
];
for (const [signal, what] of presses) test(`${signal} is about ${what}`, () => assert.equal(pressureOf(signal), what));
