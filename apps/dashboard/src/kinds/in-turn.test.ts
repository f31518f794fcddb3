import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn } from './in-turn.ts';

test('the first answer counts though another was asked for since; an old one after a younger does not', async () => {
  const taken: string[] = [];
  const ask = inTurn<string>((answer) => taken.push(answer));
  const [first, second, third] = [1, 2, 3].map(() => Promise.withResolvers<string>());
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  for (const { promise } of [first, second, third]) ask(() => promise);
  first.resolve('first');
  await first.promise;
  assert.deepEqual(taken, ['first']);
  third.resolve('third');
  second.resolve('second');
  await Promise.all([second.promise, third.promise]);
  assert.deepEqual(taken, ['first', 'third']);
});
