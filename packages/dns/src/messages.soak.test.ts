import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerMalformed } from './testing/malformed.ts';

/** The long form, from a seed that the day gives: what it finds is found again by its seed. */
test('a million malformed messages, and no memory kept of them', async () => {
  const seed = Math.floor(Date.now() / 86_400_000);
  await answerMalformed(seed, 100_000);
  const before = process.memoryUsage().heapUsed;
  for (let round = 1; round < 10; round++) await answerMalformed(seed + round, 100_000);
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 64 * 1024 * 1024, `${grown} bytes more`);
});
