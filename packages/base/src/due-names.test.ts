import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { DueNames } from './due-names.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

/** Names that fail until their count is used up; each look with the time of it. */
function start(failing: { [name: string]: number } = {}) {
  const clock = new VirtualClock();
  const began = clock.monotonic();
  const looks: string[] = [];
  const told: string[] = [];
  const under = { way: (_name: string): Promise<void> | void => undefined };
  const names = new DueNames({
    clock,
    bring: async (name) => {
      looks.push(`${name} ${clock.monotonic() - began}`);
      await under.way(name);
      const left = failing[name] ?? 0;
      failing[name] = left - 1;
      if (left > 0) throw new RangeError(`${name} failed`);
    },
    failed: (name, error) => told.push(String(error)) > 0 && name !== 'hopeless',
    retryMs: { first: 100, longest: 250 },
  });
  return { clock, names, looks, told, under };
}

test('names that come together are looked at once each, in their order, and not within the call', async () => {
  const { names, looks } = start();
  for (const name of ['b', 'a', 'b']) names.add(name);
  deepEqual(looks, []);
  await names.settled();
  deepEqual(looks, ['b 0', 'a 0']);
});

test('one that is named while it is looked at is looked at again', async () => {
  const { names, looks, under } = start();
  under.way = () => {
    if (looks.length === 1) names.add('a');
  };
  names.add('a');
  await names.settled();
  deepEqual(looks, ['a 0', 'a 0']);
});

test('one that comes in whatever turn behind the last one is not left lying', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const { names, looks } = start();
    names.add('a');
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    names.add('b');
    await names.settled();
    deepEqual(looks, ['a 0', 'b 0'], `${turns} turns later`);
  }
});

test('of several that failed each is tried again in its own time, later each time, until it is well', async () => {
  const { clock, names, looks, told } = start({ a: 3, b: 1 });
  names.add('a');
  names.add('b');
  await names.settled();
  await clock.advance(2_000);
  deepEqual(looks, ['a 0', 'b 0', 'a 100', 'b 100', 'a 300', 'a 550']);
  deepEqual(told.length, 4);
  names.add('a');
  await names.settled();
  deepEqual(looks.at(-1), 'a 2000');
  await clock.advance(2_000);
  deepEqual(looks.length, 7);
});

test('one that was mended meanwhile is not tried again, and one without hope neither', async () => {
  const { clock, names, looks } = start({ a: 1, hopeless: 9 });
  names.add('a');
  names.add('hopeless');
  await names.settled();
  names.add('a');
  await names.settled();
  await clock.advance(2_000);
  deepEqual(looks, ['a 0', 'hopeless 0', 'a 0']);
});

test('stop waits for the one under way, and tells of nothing, tries nothing, begins nothing any more', async () => {
  const { clock, names, looks, told, under } = start({ a: 9, b: 9 });
  names.add('a');
  await names.settled();
  const gate = Promise.withResolvers<void>();
  under.way = () => gate.promise;
  names.add('b');
  names.add('c');
  await Promise.resolve();
  const stopped = names.stop();
  gate.resolve();
  await stopped;
  names.add('d');
  await clock.advance(2_000);
  deepEqual(looks, ['a 0', 'b 0']);
  deepEqual(told, ['RangeError: a failed']);
});
