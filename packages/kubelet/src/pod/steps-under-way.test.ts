import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, VirtualClock } from '@binnacle/base';
import { StepsUnderWay } from './steps-under-way.ts';

const ROWS: readonly [name: string, mayTakeMs: number, afterMs: number, told: boolean][] = [
  ['a step just begun', 0, 1_000, false],
  ['one that takes a while', 0, 29_999, false],
  ['one that takes long', 0, 30_000, true],
  ['a stop within its grace', 60_000, 60_000, false],
  ['a stop beyond its grace', 60_000, 90_000, true],
];

for (const [name, mayTakeMs, afterMs, isTold] of ROWS) {
  test(`${name} is ${isTold ? 'told' : 'not told'}, and none that is over`, async () => {
    let text = '';
    const clock = new VirtualClock();
    const log = createLogger({ component: 'kubelet', verbosity: 0, clock, write: (line) => (text += line) });
    const steps = new StepsUnderWay({ clock, log });
    const over = steps.begin({ name: 'stopContainer', subject: { container: 'c1' }, mayTakeMs });
    await clock.advance(afterMs);
    steps.tell();
    const told = isTold
      ? [`"Runtime: stopContainer has not been answered yet" container="c1" seconds=${afterMs / 1000}`]
      : [];
    assert.deepEqual(text.match(/"Runtime.*/g) ?? [], told);
    over();
    text = '';
    steps.tell();
    assert.equal(text, '');
  });
}
