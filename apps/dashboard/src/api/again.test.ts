import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { again } from './again.ts';

const LOST = new TypeError('Failed to fetch');

function tried(outcomes: readonly (Error | string)[]) {
  const pauses: number[] = [];
  const left = [...outcomes];
  const run = (): Promise<string> => {
    const next = left.shift() ?? 'more than was planned';
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  const wait = (ms: number): Promise<void> => {
    pauses.push(ms);
    return Promise.resolve();
  };
  return { run, wait, pauses, left };
}

test('a way that broke is tried again, longer and longer after', async () => {
  const t = tried([LOST, LOST, LOST, 'there']);
  equal(await again(t.run, t), 'there');
  deepEqual(t.pauses, [150, 600, 2400]);
});

test('the fourth failure is the last', async () => {
  const t = tried([LOST, LOST, LOST, LOST, 'never']);
  await rejects(again(t.run, t), LOST);
  deepEqual(t.left, ['never']);
});

test('a refusal is told at once, and nobody waits for what nobody wants', async () => {
  const refused = tried([new Error('403')]);
  await rejects(again(refused.run, refused), /403/);
  const unwanted = tried([LOST]);
  await rejects(again(unwanted.run, { ...unwanted, signal: AbortSignal.abort() }), LOST);
  deepEqual([...refused.pauses, ...unwanted.pauses], []);
});
