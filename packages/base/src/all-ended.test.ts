import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allEnded } from './all-ended.ts';
import { messageOf } from './error.ts';

test('what comes of all, in order', async () => {
  const [number, text] = await allEnded([Promise.resolve(7), 'x']);
  assert.deepEqual([number, text], [7, 'x']);
  assert.deepEqual(await allEnded([]), []);
});

test('a failure is told when the others have ended, the first in order', async () => {
  const slow = Promise.withResolvers<number>();
  let told: unknown;
  const done = allEnded([slow.promise, Promise.reject(new Error('second')), Promise.reject(new Error('third'))]).catch(
    (error: unknown) => (told = error),
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(told, undefined);
  slow.resolve(1);
  await done;
  assert.equal(messageOf(told), 'second');
});
