import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { PODS } from '@binnacle/api';
import { TransportError } from './errors.ts';
import { status } from '@binnacle/machinery';
import { actOnEach } from './act-on-each.ts';

const ROWS: readonly (readonly [name: string, error: Error, acted: readonly string[]])[] = [
  ['one that a policy refuses', status.forbidden(PODS, 'b', 'not this one'), ['a', 'b', 'c']],
  ['one that has changed', status.conflict(PODS, 'b', 'changed'), ['a', 'b', 'c']],
  ['one that cannot be any more', status.badRequest('not so'), ['a', 'b', 'c']],
  ['a server that wants peace', status.tooManyRequests('later', 1), ['a', 'b']],
  ['one whose webhook does not answer', status.internalError('failed calling webhook "w": gone'), ['a', 'b', 'c']],
  ['a server that fails', status.internalError('no'), ['a', 'b']],
  ['a server that is gone', new TransportError('connect', 'gone'), ['a', 'b']],
  ['a fault of our own', new TypeError('undefined'), ['a', 'b']],
];
for (const [name, error, expected] of ROWS)
  test(`each has its turn: ${name}`, async () => {
    const acted: string[] = [];
    const act = async (item: string): Promise<void> => {
      acted.push(item);
      await Promise.resolve();
      if (item === 'b') throw error;
    };
    await assert.rejects(actOnEach(['a', 'b', 'c'], act), error);
    assert.deepEqual(acted, expected);
  });

test('each has its turn, one after the other; the first refusal is the one that is told', async () => {
  const acted: string[] = [];
  await actOnEach(['a', 'b'], (item) => Promise.resolve(acted.push(item)));
  assert.deepEqual(acted, ['a', 'b']);
  const refuse = (item: string): Promise<never> => Promise.reject(status.forbidden(PODS, item, 'no'));
  await assert.rejects(actOnEach(['a', 'b'], refuse), /"a" is forbidden/);
});
