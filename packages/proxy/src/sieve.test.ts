import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import { Sieve } from './sieve.ts';

const minus = (all: ReadonlySet<string>, some: ReadonlySet<string>): Set<string> =>
  new Set([...all].filter((id) => !some.has(id)));

/** A machine that refuses what is bad, and pairs that do not go together. */
function start() {
  const wanted = new Set<string>();
  const machine = {
    bad: new Set<string>(),
    rivals: [] as (readonly [string, string])[],
    isDead: false,
    has: new Set<string>(),
    asked: 0,
    /** What it had at every moment since it was asked. */
    seen: [] as Set<string>[],
  };
  const told: string[] = [];
  const take = (all: Set<string>): void => {
    machine.asked++;
    if (machine.isDead) throw new NetworkError('cannot run nft');
    for (const id of all) if (machine.bad.has(id)) throw new NetworkError('invalid argument');
    for (const [a, b] of machine.rivals) if (all.has(a) && all.has(b)) throw new NetworkError('file exists');
    machine.has = all;
    machine.seen.push(all);
  };
  const sieve = new Sieve({
    ids: () => wanted,
    make: async (closed) => take(minus(wanted, closed)),
    refused: (id, { message }) => told.push(`${id}: ${message}`),
  });
  const change = (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) wanted.add(id);
    return sieve.change(ids, async () => take(new Set([...machine.has, ...ids])));
  };
  return { wanted, machine, told, sieve, change };
}

const many = (count: number, letter = 's'): string[] => Array.from({ length: count }, (_, at) => `${letter}${at}`);
const sorted = (ids: Iterable<string>): string[] => [...ids].toSorted();

test('one that is refused at first is closed, and all others are there', async () => {
  const { wanted, machine, told, sieve } = start();
  for (const id of many(100)) wanted.add(id);
  machine.bad.add('s42');
  await sieve.replace();
  assert.deepEqual(sorted(machine.has), sorted(minus(wanted, machine.bad)));
  assert.deepEqual(told, ['s42: invalid argument']);
  assert.equal(sieve.size, 1);
  assert.ok(machine.asked < 20, `${machine.asked}`);
});

test('one that comes and is refused takes nothing from those that are there, at no moment', async () => {
  const { wanted, machine, told, sieve, change } = start();
  for (const id of many(100)) wanted.add(id);
  await sieve.replace();
  const before = machine.has;
  machine.bad.add('bad');
  await change('good', 'bad', 'fine');
  assert.deepEqual(sorted(machine.has), sorted([...before, 'good', 'fine']));
  for (const moment of machine.seen) assert.equal(minus(before, moment).size, 0);
  assert.deepEqual(told, ['bad: invalid argument']);
});

test('it is tried again when it changes, and when all are made anew, and told once', async () => {
  const { machine, told, sieve, change } = start();
  await sieve.replace();
  machine.bad.add('a');
  await change('a', 'b');
  await change('a');
  await change('c');
  await sieve.replace();
  assert.deepEqual(told, ['a: invalid argument']);
  assert.deepEqual(sorted(machine.has), ['b', 'c']);
  machine.bad.clear();
  await change('d');
  assert.deepEqual(sorted(machine.has), ['b', 'c', 'd'], 'nothing of it changed');
  await change('a');
  assert.deepEqual(sorted(machine.has), ['a', 'b', 'c', 'd']);
  assert.equal(sieve.size, 0);
  machine.bad.add('a');
  await change('a');
  machine.bad.clear();
  await sieve.replace();
  assert.deepEqual(sorted(machine.has), ['a', 'b', 'c', 'd']);
  assert.deepEqual(told, ['a: invalid argument', 'a: invalid argument']);
});

test('of two that do not go together, one is there', async () => {
  const { machine, told, sieve, change } = start();
  await sieve.replace();
  await change('a', 'b');
  machine.rivals.push(['a', 'c']);
  await change('c');
  assert.deepEqual(sorted(machine.has), ['a', 'b']);
  assert.deepEqual(told, ['c: file exists']);
});

test('a machine that takes nothing refuses none of them', async () => {
  const { wanted, machine, told, sieve, change } = start();
  for (const id of many(100)) wanted.add(id);
  machine.isDead = true;
  await assert.rejects(sieve.replace(), /cannot run nft/);
  machine.isDead = false;
  await sieve.replace();
  assert.equal(machine.has.size, 100);
  machine.isDead = true;
  await assert.rejects(change('new'), /cannot run nft/);
  assert.equal(machine.has.size, 100, 'what was there is left');
  machine.isDead = false;
  await sieve.replace();
  assert.equal(machine.has.size, 101);
  assert.deepEqual(told, []);
});

test('what was taken and is refused since is found too', async () => {
  const { wanted, machine, told, sieve } = start();
  for (const id of many(10)) wanted.add(id);
  await sieve.replace();
  machine.bad.add('s3');
  await sieve.replace();
  assert.deepEqual(told, ['s3: invalid argument']);
  assert.equal(machine.has.size, 9);
});

test('a flood of bad ones is looked at in turns, and the good ones among them come through', async () => {
  const { wanted, machine, told, sieve, change } = start();
  for (const id of many(10)) wanted.add(id);
  await sieve.replace();
  const flood = many(400, 'x');
  machine.bad = new Set(flood.filter((_, at) => at % 4 !== 0));
  machine.asked = 0;
  await change(...flood);
  assert.ok(machine.asked < 80, `${machine.asked} in one turn`);
  assert.equal(sieve.isUnfinished, true);
  await change('late');
  assert.ok(machine.has.has('late'), 'what comes meanwhile is not kept waiting');
  let turns = 0;
  for (; sieve.isUnfinished && turns < 100; turns++) await sieve.sift();
  assert.deepEqual(sorted(machine.has), sorted(minus(wanted, machine.bad)));
  assert.equal(told.length, 300);
  assert.equal(new Set(told).size, 300);
  machine.asked = 0;
  await sieve.replace();
  assert.ok(machine.asked < 80, `${machine.asked} to make all anew`);
  assert.equal(sieve.isUnfinished, false, 'who is known to be bad waits for nothing');
});

test('other errors are nobody’s fault', async () => {
  const { sieve, change } = start();
  await sieve.replace();
  await assert.rejects(
    sieve.change(['a'], () => Promise.reject(new TypeError('a bug'))),
    TypeError,
  );
  await change('a');
});

test('whatever comes and goes, what is refused is what is bad', async () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = createSeededRandom(seed);
    const { wanted, machine, sieve, change } = start();
    for (let step = 0; step < 20; step++) {
      const ids = Array.from({ length: 1 + randomBelow(random, 6) }, () => `s${randomBelow(random, 30)}`);
      for (const id of ids) {
        if (randomBelow(random, 5) === 0) machine.bad.add(id);
        else machine.bad.delete(id);
      }
      machine.isDead = randomBelow(random, 6) === 0;
      const isWhole = step === 0 || randomBelow(random, 5) === 0;
      try {
        if (isWhole) {
          for (const id of ids) wanted.add(id);
          await sieve.replace();
        } else await change(...ids);
      } catch (error) {
        assert.ok(error instanceof NetworkError && machine.isDead, `seed ${seed}: ${String(error)}`);
        machine.isDead = false;
        // As its keeper does.
        await sieve.replace();
      }
      assert.deepEqual(sorted(machine.has), sorted(minus(wanted, machine.bad)), `seed ${seed}, step ${step}`);
    }
  }
});
