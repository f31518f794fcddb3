import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { RawCall, RawReply } from '@binnacle/machinery';
import type { Message, Messages } from '@binnacle/streams';
import { readAsked } from './frames.ts';
import { StreamDesk } from './stream-desk.ts';

/** A page that asks and notes what it is told. */
function page() {
  const told: unknown[] = [];
  const asked: (Message | undefined)[] = [];
  let wake = (): void => undefined;
  let heard = (): void => undefined;
  const messages: Messages = {
    protocol: '',
    async read() {
      while (asked.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return asked.shift();
    },
    async write(data) {
      told.push(JSON.parse(new TextDecoder().decode(data)));
      heard();
    },
    close: () => Promise.resolve(),
    abort: () => undefined,
    closed: new Promise(() => undefined),
  };
  return {
    messages,
    told,
    ask: (value: unknown): void => {
      asked.push({ data: new TextEncoder().encode(JSON.stringify(value)), text: true });
      wake();
    },
    leave: (): void => {
      asked.push(undefined);
      wake();
    },
    untilTold: async (count: number): Promise<readonly unknown[]> => {
      while (told.length < count) await new Promise<void>((resolve) => (heard = resolve));
      return told;
    },
  };
}

function answering(...pieces: readonly string[]) {
  const calls: RawCall[] = [];
  const wire = {
    raw: (call: RawCall): Promise<RawReply> => {
      calls.push(call);
      return Promise.resolve({ status: 200, headers: {}, body: bodyOf(pieces, call.signal) });
    },
  };
  return { calls, wire };
}

/** Never ends by itself. */
async function* bodyOf(pieces: readonly string[], signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
}

test('a stream is opened in the form asked for, told as it comes, and ended when the page has had enough', async () => {
  const { messages, ask, untilTold, leave } = page();
  const { calls, wire } = answering('a', 'b');
  const served = new StreamDesk(messages, wire).serve();
  ask({ id: 1, open: '/api/v1/pods?watch=true', accept: 'x' });
  deepEqual(await untilTold(3), [
    { id: 1, status: 200 },
    { id: 1, data: 'a' },
    { id: 1, data: 'b' },
  ]);
  equal(calls[0]?.path, '/api/v1/pods?watch=true');
  equal(calls[0]?.headers?.['accept'], 'x');
  ask({ id: 1, close: true });
  deepEqual((await untilTold(4)).at(-1), { id: 1, end: true });
  leave();
  await served;
});

test('what is no path of the API, a number in use, and too many streams are refused', async () => {
  const { messages, ask, untilTold, leave } = page();
  const { wire, calls } = answering();
  const served = new StreamDesk(messages, wire).serve();
  ask({ id: 1, open: '/api/v1/nodes/a/proxy/' });
  deepEqual(await untilTold(1), [{ id: 1, end: true, error: 'refused' }]);
  for (let id = 1; id <= 201; id++) ask({ id, open: '/api/v1/pods' });
  ask({ id: 7, open: '/api/v1/pods' });
  const told = await untilTold(1 + 200 + 2);
  equal(told.filter((one) => 'error' in (one as object)).length, 3);
  equal(calls.length, 200);
  leave();
  await served;
  equal(
    calls.every(({ signal }) => signal?.aborted),
    true,
  );
});

test('a letter of several bytes is whole however its bytes come', async () => {
  const { messages, ask, untilTold, leave } = page();
  const bytes = new TextEncoder().encode('→');
  const wire = {
    raw: (): Promise<RawReply> =>
      Promise.resolve({
        status: 200,
        headers: {},
        body: (async function* () {
          yield bytes.subarray(0, 1);
          yield bytes.subarray(1);
        })(),
      }),
  };
  const served = new StreamDesk(messages, wire).serve();
  ask({ id: 1, open: '/api/v1/pods' });
  deepEqual((await untilTold(3))[1], { id: 1, data: '→' });
  leave();
  await served;
});

test('frames that are none', () => {
  for (const text of [
    '',
    '{',
    'null',
    '1',
    '{"id":1}',
    '{"id":"1","open":"/"}',
    '{"id":1.5,"open":"/"}',
    '{"id":1,"close":1}',
  ]) {
    equal(readAsked(text), undefined, text);
  }
});
