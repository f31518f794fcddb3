import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbortedError } from '@binnacle/base';
import type { ExchangeSink, Transport } from './exchange.ts';
import { receive } from './receive.ts';

const EXCHANGE = { method: 'GET', path: '/x', headers: {}, body: undefined };

function bench(): { transport: Transport; sink: () => ExchangeSink; acts: string[] } {
  const acts: string[] = [];
  let kept: ExchangeSink | undefined;
  const transport: Transport = {
    send: (_exchange, sink) => {
      kept = sink;
      return {
        cancel: () => void acts.push('cancel'),
        pause: () => void acts.push('pause'),
        resume: () => void acts.push('resume'),
      };
    },
    close: async () => undefined,
  };
  return { transport, acts, sink: () => kept as ExchangeSink };
}

test('the head is there before the body, whose reader sets the pace', async () => {
  const { transport, sink, acts } = bench();
  const receiving = receive(transport, EXCHANGE, undefined);
  sink().head(200, { 'content-type': 'text/plain' });
  const reply = await receiving;
  assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'text/plain']);
  sink().data(new Uint8Array(256 * 1024));
  sink().data(new Uint8Array(1));
  assert.deepEqual(acts, ['pause']);
  sink().end();
  const sizes: number[] = [];
  for await (const piece of reply.body) sizes.push(piece.length);
  assert.deepEqual(sizes, [256 * 1024, 1]);
  assert.deepEqual(acts, ['pause', 'resume']);
});

test('a body that breaks off throws behind what came', async () => {
  const { transport, sink } = bench();
  const receiving = receive(transport, EXCHANGE, undefined);
  sink().head(200, {});
  const pieces = (await receiving).body[Symbol.asyncIterator]();
  sink().data(new Uint8Array(1));
  sink().fail(new TypeError('cut'));
  assert.equal((await pieces.next()).done, false);
  await assert.rejects(pieces.next(), TypeError);
});

test('leaving early, and an abort, end the exchange', async () => {
  const { transport, sink, acts } = bench();
  const receiving = receive(transport, EXCHANGE, undefined);
  sink().head(200, {});
  sink().data(new Uint8Array(1));
  for await (const _piece of (await receiving).body) break;
  assert.deepEqual(acts, ['cancel']);
  const abort = new AbortController();
  const second = receive(transport, EXCHANGE, abort.signal);
  sink().head(200, {});
  const reading = (await second).body[Symbol.asyncIterator]().next();
  abort.abort();
  await assert.rejects(reading, AbortedError);
  assert.deepEqual(acts, ['cancel', 'cancel']);
  await assert.rejects(receive(transport, EXCHANGE, abort.signal), AbortedError);
});
