import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { EventCorrelator } from './event-correlator.ts';
import type { EventFacts } from './event-correlator.ts';

const facts = (name: string, message = 'm', reason = 'Tried') => ({
  about: { kind: 'Pod', namespace: 'ns', name },
  type: 'Normal' as const,
  reason,
  message,
  component: 'c',
  host: '',
});

test('a repeat is counted and keeps the name that it was written under', async () => {
  const clock = new VirtualClock();
  const correlator = new EventCorrelator(clock);
  const first = correlator.plan(facts('a'));
  assert.ok(first !== undefined);
  assert.equal(first.counted.written, undefined);
  first.counted.written = 'a.1';
  await clock.advance(5000);
  const second = correlator.plan(facts('a'));
  assert.deepEqual([first.count, second?.count, second?.counted.written], [1, 2, 'a.1']);
  assert.equal((second?.lastMs ?? 0) - (second?.firstMs ?? 0), 5000);
});

test('the eleventh different message of a reason is combined; a known one is not', () => {
  const correlator = new EventCorrelator(new VirtualClock());
  for (let i = 0; i < 10; i++) assert.equal(correlator.plan(facts('a', `m${i}`))?.message, `m${i}`);
  assert.equal(correlator.plan(facts('a', 'm10'))?.message, '(combined from similar events): m10');
  assert.equal(correlator.plan(facts('a', 'm3'))?.message, 'm3');
});

test('the same words of two parts of an object are two Events, and one of many together', () => {
  const correlator = new EventCorrelator(new VirtualClock());
  const ofPart = (fieldPath: string, message = 'Container created'): EventFacts => {
    const all = facts('a', message);
    return { ...all, about: { ...all.about, fieldPath } };
  };
  const keys = ['spec.containers{a}', 'spec.containers{b}'].map((path) => correlator.plan(ofPart(path)));
  assert.deepEqual(
    keys.map((plan) => plan?.count),
    [1, 1],
  );
  assert.notEqual(keys[0]?.counted, keys[1]?.counted);
  for (let i = 0; i < 10; i++) correlator.plan(ofPart('', `m${i}`));
  const many = ['{a}', '{b}'].map((path) => correlator.plan(ofPart(path, `more of ${path}`)));
  assert.deepEqual(
    many.map((plan) => plan?.count),
    [1, 2].map((n) => n + 1),
  );
});

test('an object has 25 Events at once and one more in five minutes', async () => {
  const clock = new VirtualClock();
  const correlator = new EventCorrelator(clock);
  const plans = Array.from({ length: 30 }, (_, i) => correlator.plan(facts('a', 'm', `R${i}`)));
  assert.equal(plans.filter((plan) => plan !== undefined).length, 25);
  assert.notEqual(correlator.plan(facts('b')), undefined, 'another object has its own');
  await clock.advance(300_000);
  assert.notEqual(correlator.plan(facts('a')), undefined);
  assert.equal(correlator.plan(facts('a')), undefined);
});

test('a flood of objects is forgotten, oldest first, and what is asked for often is kept', () => {
  const correlator = new EventCorrelator(new VirtualClock());
  for (let i = 0; i < 10_000; i++) {
    if (i % 500 === 0) correlator.plan(facts('often'));
    correlator.plan(facts(`p${i}`));
  }
  assert.equal(correlator.plan(facts('often'))?.count, 21);
  assert.equal(correlator.plan(facts('p0'))?.count, 1, 'forgotten');
});
