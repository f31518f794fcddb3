import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { TransportError } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { PodNames } from './names.ts';
import { NumberBook } from './number-book.ts';

const UIDS = ['7f1c1a52-3f0e-4a57-9d0c-6f0d3c9b2a11', 'u', '00000000-0000-0000-0000-000000000000'];

test('each number has its own name, the name tells the number, another owner has other names', () => {
  const [first, second] = UIDS.map((uid) => new PodNames('web', uid));
  for (const uid of UIDS) {
    const names = new PodNames('web', uid);
    const seen = new Set<string>();
    for (let number = 0; number < 3000; number++) {
      const name = names.nameOf(number);
      assert.match(name, /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      assert.equal(names.numberOf(name), number);
      seen.add(name);
    }
    assert.equal(seen.size, 3000);
  }
  assert.notEqual(first?.nameOf(0), second?.nameOf(0));
  assert.equal(new PodNames('web', 'u').nameOf(7), new PodNames('web', 'u').nameOf(7));
});

test('the names are those of earlier versions: who starts again knows the pods that it made', () => {
  const names = new PodNames('web', UIDS[0] ?? '');
  assert.deepEqual(
    [0, 1, 2, 3000].map((number) => names.nameOf(number)),
    ['web-b9fv6', 'web-cl7nm', 'web-cxxf5', 'web-jnwml'],
  );
});

test('names of others have no number', () => {
  const names = new PodNames('web', 'u');
  for (const name of ['web', 'web-', 'web-aaaaa', 'web-bcdfgh', 'api-bcdfg', 'orphan']) {
    assert.equal(names.numberOf(name), undefined, name);
  }
});

test('a long owner leaves room for the letters', () => {
  assert.equal(new PodNames('x'.repeat(80), 'u').nameOf(0).length, 63);
});

test('numbers: on from the highest, unanswered ones first again, never one twice', async () => {
  const names = new PodNames('web', 'u');
  const book = new NumberBook();
  const next = (count: number, existing: number[] = []): number[] =>
    book.next('u', count, { names, existing: existing.map((number) => names.nameOf(number)) });
  const create = (number: number, failure?: Error): Promise<unknown> => {
    const made = book.create('u', { number }, async () => {
      if (failure !== undefined) throw failure;
    });
    return failure === undefined ? made : assert.rejects(made, failure);
  };
  assert.deepEqual(next(3), [0, 1, 2]);
  assert.deepEqual(next(3), [0, 1, 2], 'asking uses nothing up');
  await create(0);
  await create(1, new TransportError('cut', 'cut off'));
  await create(2);
  assert.deepEqual(next(2), [1, 3]);
  const placed = (...places: string[]): number[] => book.next('u', places.length, { names, existing: [], places });
  assert.deepEqual(placed('n1', ''), [3, 1], 'an unanswered one is for what it was for');
  assert.deepEqual(next(2, [1]), [3, 4], 'the cache shows that it arrived');
  await create(3, status.forbidden({ group: '', resource: 'pods' }, names.nameOf(3), 'exceeded quota'));
  assert.deepEqual(next(1), [3], 'what was refused is not there');
  await create(3, status.alreadyExists({ group: '', resource: 'pods' }, names.nameOf(3)));
  assert.deepEqual(next(1), [4], 'what is there already is taken');
  assert.deepEqual(next(1, [9]), [10]);
  assert.deepEqual(next(1), [10], 'not again although its pod is gone');
  book.forget('u');
  assert.deepEqual(next(1, [4]), [5], 'a new process goes by what is there');
});
