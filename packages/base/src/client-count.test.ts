import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientCount } from './client-count.ts';

test('one client has its part, all have the whole', () => {
  const count = new ClientCount({ max: 3, perClientMax: 2 });
  const entered = ['a', 'a', 'a', 'b', 'b', 'c'].map((client) => count.enter(client));
  assert.deepEqual(entered, [true, true, false, true, false, false]);
  count.leave('a');
  assert.equal(count.enter('c'), true);
  assert.equal(count.enter('a'), false);
  for (const client of ['a', 'b', 'c']) count.leave(client);
  assert.deepEqual(
    ['a', 'a', 'b'].map((client) => count.enter(client)),
    [true, true, true],
  );
});
