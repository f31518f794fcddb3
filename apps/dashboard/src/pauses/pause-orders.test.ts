import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '../api/request.ts';
import { PauseOrders } from './pause-orders.ts';
import type { Pause, PauseDeed } from './pause.ts';

const pauseOf = (version: number, steps?: number): Pause => ({
  apiVersion: 'trace.binnacle.dev/v1',
  kind: 'Pause',
  metadata: { name: 'a', resourceVersion: String(version) },
  ...(steps === undefined ? {} : { spec: { steps, deadlineSeconds: 600 } }),
  status: { held: steps !== undefined, passed: 0, waiting: [] },
});

/** A server that answers when it is told to, and what it was asked. */
function stage() {
  const calls: ApiRequest[] = [];
  const answers: (() => void)[] = [];
  let version = 1;
  const orders = new PauseOrders((call) => {
    calls.push(call);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    answers.push(() => resolve(call.method === 'DELETE' ? { kind: 'Status' } : pauseOf(++version, stepsIn(call))));
    return promise;
  });
  const said: string[] = [];
  const give = (seen: Pause, deed: PauseDeed): Promise<void> =>
    orders.give(seen, deed, (command) => said.push(command));
  /** Answers until nobody asks any more. */
  const settle = async (given: readonly Promise<void>[]): Promise<void> => {
    const all = Promise.all(given).then(() => true);
    while (!(await Promise.race([all, new Promise<false>((resolve) => setImmediate(resolve, false))]))) {
      answers.shift()?.();
    }
  };
  return { calls, said, give, settle };
}

const stepsIn = ({ body }: ApiRequest): number => (body as { readonly spec: { readonly steps: number } }).spec.steps;

test('two steps in quick succession are two, although the page still shows what was before the first', async () => {
  const { calls, said, give, settle } = stage();
  const seen = pauseOf(1, 0);
  await settle([give(seen, 'step'), give(seen, 'step')]);
  deepEqual(calls.map(stepsIn), [1, 2]);
  match(said[1] ?? '', /"steps":2/);
});

test('what the page has seen since counts', async () => {
  const { calls, give, settle } = stage();
  await settle([give(pauseOf(1, 0), 'step')]);
  await settle([give(pauseOf(9, 7), 'step')]);
  deepEqual(calls.map(stepsIn), [1, 8]);
});

test('a step of what has just been let go holds nobody', async () => {
  const { calls, give, settle } = stage();
  const seen = pauseOf(1, 3);
  await settle([give(seen, 'release'), give(seen, 'step')]);
  deepEqual(
    calls.map(({ method }) => method),
    ['DELETE'],
  );
});

test('who presses without end while nobody answers has not ordered without end', async () => {
  const { calls, give, settle } = stage();
  const seen = pauseOf(1, 0);
  await settle(Array.from({ length: 1000 }, () => give(seen, 'step')));
  equal(calls.length, 16);
});

test('what is refused is told to who ordered it, and does not hold up the next', async () => {
  let times = 0;
  const orders = new PauseOrders(() =>
    times++ === 0 ? Promise.reject(new Error('no')) : Promise.resolve(pauseOf(2, 1)),
  );
  const told = (): undefined => undefined;
  const first = orders.give(pauseOf(1, 0), 'step', told);
  const second = orders.give(pauseOf(1, 0), 'step', told);
  await rejects(first, /no/);
  await second;
  equal(times, 2);
});
