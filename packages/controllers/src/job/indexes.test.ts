import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { addIndexes, hasIndex, pendingIndexes, readIndexes, withoutIndexes, writeIndexes } from './indexes.ts';

test('reads, adds, writes and finds as a plain set does', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = createSeededRandom(seed);
    const model = new Set<number>();
    let text = '';
    for (let round = 0; round < 6; round++) {
      const added = Array.from({ length: randomBelow(random, 8) }, () => randomBelow(random, 30));
      for (const number of added) model.add(number);
      text = writeIndexes(addIndexes(readIndexes(text, 30), added));
    }
    const intervals = readIndexes(text, 30);
    for (let number = 0; number < 32; number++) {
      assert.equal(hasIndex(intervals, number), model.has(number), `seed ${seed}: ${number} in ${text}`);
    }
    const taken = new Set([3, 4, 9]);
    const free = Array.from({ length: 30 }, (_, i) => i).filter((one) => !model.has(one) && !taken.has(one));
    const of = { completions: 30, count: 5 };
    assert.deepEqual(pendingIndexes([intervals, []], taken, of), free.slice(0, 5), `seed ${seed}: ${text}`);
  }
});

test('written as upstream writes them, whatever came before', () => {
  const rows: [name: string, before: string, added: number[], written: string][] = [
    ['none', '', [], ''],
    ['one', '', [4], '4'],
    ['two neighbours', '', [0, 1], '0,1'],
    ['three in a row', '0,1', [2], '0-2'],
    ['a gap closed', '0,1,4,5', [2, 3], '0-5'],
    ['neighbours beside others', '1,3-5', [8, 7], '1,3-5,7,8'],
  ];
  for (const [name, before, added, written] of rows) {
    assert.equal(writeIndexes(addIndexes(readIndexes(before, 10), added)), written, name);
  }
});

test('what is beyond the completions is cut, what is unreadable is none', () => {
  assert.equal(writeIndexes(readIndexes('1,3-8,11', 6)), '1,3-5');
  assert.deepEqual(readIndexes('5-3', 10), []);
  assert.deepEqual(readIndexes(undefined, 10), []);
});

test('takes intervals from intervals as a plain set does', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = createSeededRandom(seed);
    const some = (): number[] => Array.from({ length: randomBelow(random, 14) }, () => randomBelow(random, 30));
    const [these, others] = [some(), some()];
    const left = withoutIndexes(addIndexes([], these), addIndexes([], others));
    const wanted = these.filter((one) => !others.includes(one));
    assert.equal(
      writeIndexes(left),
      writeIndexes(addIndexes([], wanted)),
      `seed ${seed}: ${these.join()} without ${others.join()}`,
    );
  }
});

test('a status that names two thousand million failed indexes costs as much as it is long', () => {
  const all = readIndexes('0-1999999999', 2_000_000_000);
  assert.equal(writeIndexes(withoutIndexes(all, readIndexes('5,7-9', 2_000_000_000))), '0-4,6,10-1999999999');
});
