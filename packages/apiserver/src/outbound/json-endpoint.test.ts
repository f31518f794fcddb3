import { createSeededRandom, HttpConnectError, VirtualClock } from '@binnacle/base';
import type { HttpCall, HttpCaller, HttpReply } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import { askEndpoint, EndpointError, readBounded } from './json-endpoint.ts';

const RETRIES = { tries: 3, firstWaitMs: 100, timeoutMs: 1000 };

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function start(answers: readonly ((call: HttpCall) => HttpReply)[]) {
  const clock = new VirtualClock();
  const calls: HttpCall[] = [];
  const http: Pick<HttpCaller, 'request'> = {
    request(call) {
      calls.push(call);
      const answer = answers[Math.min(calls.length, answers.length) - 1];
      assert.ok(answer !== undefined);
      return Promise.resolve().then(() => answer(call));
    },
  };
  const world = { http: http as HttpCaller, clock, random: createSeededRandom(1) };
  const ask = (signal?: AbortSignal): Promise<unknown> =>
    askEndpoint(
      world,
      { url: 'https://hook/x', token: 't' },
      { body: { a: 1 }, retries: RETRIES, ...(signal === undefined ? {} : { signal }) },
    );
  return { clock, calls, ask };
}

const reply = (code: number, text: string) => (): HttpReply => ({ status: code, headers: {}, body: bytes(text) });
const cut = (call: HttpCall): never => {
  throw new HttpConnectError(call, { fault: 'cut', text: 'EOF' } as never);
};

test('JSON goes out with the token, and comes back', async () => {
  const { calls, ask } = start([reply(201, '{"b":2}')]);
  assert.deepEqual(await ask(), { b: 2 });
  const [call] = calls;
  assert.equal(call?.headers?.['authorization'], 'Bearer t');
  assert.equal(new TextDecoder().decode(call.body as Uint8Array), '{"a":1}');
});

test('what may pass is tried again, a little later each time', async () => {
  const { clock, calls, ask } = start([reply(503, ''), cut, reply(200, '{}')]);
  const answer = ask();
  await clock.advance(99);
  assert.equal(calls.length, 1);
  await clock.advance(1000);
  assert.deepEqual([await answer, calls.length], [{}, 3]);
});

test('not for ever', async () => {
  const { clock, calls, ask } = start([reply(500, '')]);
  const failed = assert.rejects(ask(), (error) => error instanceof EndpointError && /status 500/.test(error.message));
  await clock.advance(10_000);
  await failed;
  assert.equal(calls.length, 3);
});

for (const [name, answer] of [
  ['a refusal', reply(403, '')],
  ['no JSON', reply(200, '<html>')],
] as const) {
  test(`not again: ${name}`, async () => {
    const { calls, ask } = start([answer]);
    await assert.rejects(ask(), EndpointError);
    assert.equal(calls.length, 1);
  });
}

test('a longer answer than is read is an error', async () => {
  await assert.rejects(readBounded(bytes('x'.repeat(100)), 99), EndpointError);
  assert.equal(await readBounded(bytes('x'), 1), 'x');
});
