import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import type { Channel } from '@binnacle/grpc';
import { RuntimeError } from '../errors.ts';
import { endHiddenTasks, removeWithTasks } from './hidden-tasks.ts';

const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;
const REFUSAL = 'failed to delete containerd container "c1": cannot delete running task c1: failed precondition';

type Answer = object | number;

/** What containerd answers to each call about tasks; a number: it refuses with that status. */
function engine(answers: { readonly [method: string]: Answer }): { parts: never; calls: string[] } {
  const calls: string[] = [];
  const channel: Pick<Channel, 'unary'> = {
    unary: async ({ method }, request) => {
      calls.push(`${method} ${(request as { container_id?: string }).container_id ?? ''}`.trim());
      const answer = answers[method] ?? UNIMPLEMENTED;
      if (typeof answer === 'number') throw Object.assign(new RangeError('no'), { code: answer, details: 'no' });
      return answer;
    },
  };
  return { parts: { channel, log: silentLogger } as never, calls };
}

/** A removal that is refused so often. */
function removal(message: string, times: number): { remove: () => Promise<void>; readonly tries: number } {
  const counted = {
    tries: 0,
    remove: async () => {
      if (counted.tries++ < times) throw new RuntimeError(message);
    },
  };
  return counted;
}

describe('a removal that a task is in the way of', () => {
  const all = { Kill: {}, Wait: {}, Delete: {} };
  const gone = { Kill: NOT_FOUND, Delete: NOT_FOUND };
  const rows: readonly [name: string, answers: { readonly [method: string]: Answer }, calls: readonly string[]][] = [
    ['killed, waited for, cleared away', all, ['Kill c1', 'Wait c1', 'Delete c1']],
    [
      'cleared away by containerd',
      { Kill: {}, Wait: NOT_FOUND, Delete: NOT_FOUND },
      ['Kill c1', 'Wait c1', 'Delete c1'],
    ],
    ['one that is gone meanwhile', gone, ['Kill c1', 'Delete c1']],
    ['one that has ended and is still there', { Kill: NOT_FOUND, Delete: {} }, ['Kill c1', 'Delete c1']],
  ];
  for (const [name, answers, expected] of rows)
    test(`ended: ${name}`, async () => {
      const { parts, calls } = engine(answers);
      const counted = removal(REFUSAL, 1);
      await removeWithTasks(parts, counted.remove, async () => [{ id: 'c1' }]);
      assert.deepEqual([calls, counted.tries], [expected, 2]);
    });

  const stands: readonly [
    name: string,
    message: string,
    answers: { readonly [method: string]: Answer },
    tries: number,
  ][] = [
    ['what knows of no tasks', REFUSAL, {}, 1],
    ['one that does not end', REFUSAL, { Kill: {}, Wait: 4 }, 1],
    ['another refusal', 'container is in starting state', all, 1],
    ['one that is refused again', REFUSAL, all, 2],
  ];
  for (const [name, message, answers, tries] of stands)
    test(`the refusal stands: ${name}`, async () => {
      const counted = removal(message, 2);
      const done = removeWithTasks(engine(answers).parts, counted.remove, async () => [{ id: 'c1' }]);
      await assert.rejects(done, { message });
      assert.equal(counted.tries, tries);
    });
});

describe('tasks behind what has ended', () => {
  const list = (...statuses: readonly number[]): object => ({
    tasks: statuses.map((status, i) => ({ id: `c${i}`, status })),
  });

  test('those that live and have ended by CRI, and none that is not ours', async () => {
    const { parts, calls } = engine({ List: list(2, 2, 3, 1, 2), Kill: {}, Wait: {}, Delete: {} });
    const ended = ['c0', 'c2', 'c3', 'gone'].map((id) => ({ id, state: 'exited' as const }));
    await endHiddenTasks(parts, async () => [...ended, { id: 'c4', state: 'running' }]);
    assert.deepEqual(
      calls.filter((call) => call.startsWith('Kill')),
      ['Kill c0', 'Kill c3'],
    );
  });

  test('an engine without them is asked no more', async () => {
    const { parts, calls } = engine({});
    await endHiddenTasks(parts, () => assert.fail('nobody lists'));
    assert.deepEqual(calls, ['List']);
  });
});
