import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { FairOrder } from './fair-order.ts';

/** Who is let go on, one after the other, when each comes again at once. */
function rounds(order: FairOrder<number>, count: number): string[] {
  const ran: string[] = [];
  let nowMs = 0;
  for (let n = 0; n < count; n++) {
    const next = order.next();
    if (next === undefined) break;
    ran.push(next.name);
    nowMs += next.value;
    order.charge(next, { tookMs: next.value, nowMs });
    order.add(next.name, next.value, { share: next.share, nowMs });
  }
  return ran;
}

const AT_FIRST = { share: 1, nowMs: 0 };

test('equals take turns in the order in which they came', () => {
  const order = new FairOrder<number>(10);
  for (const name of ['a', 'b', 'c']) order.add(name, 1, AT_FIRST);
  deepEqual(rounds(order, 6), ['a', 'b', 'c', 'a', 'b', 'c']);
});

test('time is divided by parts, whatever each takes at once', () => {
  const order = new FairOrder<number>(10);
  order.add('long', 4, AT_FIRST);
  order.add('short', 1, AT_FIRST);
  order.add('large', 1, { share: 4, nowMs: 0 });
  const ran = rounds(order, 900);
  const times = ['long', 'short', 'large'].map((name) => ran.filter((one) => one === name).length);
  for (const [i, wanted] of [43, 172, 686].entries()) equal(Math.abs((times[i] ?? 0) - wanted) < 4, true, times.join());
});

test('who was not here begins now, and is before those who have had time', () => {
  const order = new FairOrder<number>(10);
  for (const name of ['a', 'b']) order.add(name, 1, AT_FIRST);
  rounds(order, 1001);
  order.add('new', 1, { share: 1, nowMs: 1001 });
  deepEqual(rounds(order, 1), ['new']);
});

for (const [awayMs, isFirst] of [
  [0, false],
  [3, false],
  [6, true],
] as const) {
  test(`who had 8 ms beside another and comes again after ${awayMs} ms goes ${isFirst ? 'first' : 'last'}`, () => {
    const order = new FairOrder<number>(10);
    order.add('same', 8, AT_FIRST);
    order.add('beside', 8, AT_FIRST);
    const had = order.next();
    equal(had?.name, 'same');
    if (had !== undefined) order.charge(had, { tookMs: 8, nowMs: 8 });
    for (const name of ['same', 'other']) order.add(name, 8, { share: 1, nowMs: 8 + awayMs });
    equal(order.next()?.name, 'beside');
    equal(order.next()?.name, isFirst ? 'same' : 'other');
  });
}

test('what took long once is charged little, what takes long always is charged whole', () => {
  const order = new FairOrder<number>(1);
  order.add('one', 40, AT_FIRST);
  const charged: number[] = [];
  for (let n = 0; n < 8; n++) {
    const next = order.next();
    if (next === undefined) break;
    charged.push(order.charge(next, { tookMs: 40, nowMs: 0 }));
    order.add('one', 40, AT_FIRST);
  }
  deepEqual(charged, [1, 2, 4, 8, 16, 32, 40, 40]);
});

test('who comes once is forgotten', () => {
  const order = new FairOrder<number>(1);
  for (let n = 0; n < 10_000; n++) {
    order.add(`${n}`, 1, AT_FIRST);
    const next = order.next();
    if (next !== undefined) order.charge(next, { tookMs: n, nowMs: n });
  }
  equal(order.known < 200, true, `${order.known} are known`);
});

test('ever new names keep nobody from his turn', () => {
  const order = new FairOrder<number>(1);
  order.add('old', 1, AT_FIRST);
  for (let n = 0; n < 5; n++) order.add(`first ${n}`, 1, AT_FIRST);
  const had: number[] = [];
  for (let n = 0; n < 100; n++) {
    const next = order.next();
    if (next === undefined) break;
    order.charge(next, { tookMs: 1, nowMs: n });
    const isOld = next.name === 'old';
    if (isOld) had.push(n);
    order.add(isOld ? 'old' : `new ${n}`, 1, { share: 1, nowMs: n });
  }
  equal(had.length >= 10, true, `the old one had its turn at ${had.join()}`);
});
