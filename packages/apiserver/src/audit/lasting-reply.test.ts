import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply, StreamReply, UpgradeReply } from '../catalogue/definition.ts';
import type { WatchItem, WatchOutput } from '../cache/watch-source.ts';
import { watchEnd } from './lasting-reply.ts';

type Watch = Extract<Reply, { readonly kind: 'watch' }>;

function counted(): { readonly count: () => number; readonly end: () => void } {
  let ends = 0;
  return { count: () => ends, end: () => void ends++ };
}

describe('a watch', () => {
  function start() {
    const { count, end } = counted();
    const seen: string[] = [];
    let given: WatchOutput | undefined;
    const reply = {
      kind: 'watch',
      source: {
        open(output: WatchOutput) {
          given = output;
          return { stop: () => void seen.push('stopped'), resume: () => void seen.push('resumed') };
        },
      },
    } as unknown as Watch;
    const state = { ready: true, immediate: false };
    const output: WatchOutput = {
      get ready() {
        return state.ready;
      },
      get immediate() {
        return state.immediate;
      },
      items: (batch) => void seen.push(`${batch.length} items`),
      end: (error) => void seen.push(`ended ${String(error?.message)}`),
    };
    const open = (watchEnd(reply, end) as Watch).source.open(output);
    assert(given !== undefined);
    return { count, seen, open, inner: given, state };
  }

  test('ends by its reader, once', () => {
    const { count, seen, open } = start();
    open.resume();
    assert.equal(count(), 0);
    open.stop();
    open.stop();
    assert.deepEqual([count(), seen], [1, ['resumed', 'stopped', 'stopped']]);
  });

  test('ends by its source, and the reader that stops then ends nothing more', () => {
    const { count, seen, open, inner } = start();
    inner.items([{} as WatchItem]);
    inner.initialised?.();
    inner.end(undefined);
    open.stop();
    assert.deepEqual([count(), seen], [1, ['1 items', 'ended undefined', 'stopped']]);
  });

  test('is asked each time what it can take', () => {
    const { inner, state } = start();
    assert.deepEqual([inner.ready, inner.immediate], [true, false]);
    Object.assign(state, { ready: false, immediate: true });
    assert.deepEqual([inner.ready, inner.immediate], [false, true]);
  });
});

describe('a stream', () => {
  function start(body: AsyncIterable<Uint8Array>) {
    const { count, end } = counted();
    let cancelled = 0;
    const reply: StreamReply = { kind: 'stream', code: 200, contentType: 't', body, cancel: () => void cancelled++ };
    return { count, reply: watchEnd(reply, end) as StreamReply, cancelled: () => cancelled };
  }
  async function* bytes(fails = false): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(1);
    if (fails) throw new RangeError('broke off');
    yield Uint8Array.of(2);
  }

  test('ends when it is read', async () => {
    const { count, reply } = start(bytes());
    const read: number[] = [];
    for await (const [byte = 0] of reply.body) read.push(byte);
    assert.deepEqual([count(), read, reply.code], [1, [1, 2], 200]);
  });

  test('ends when it breaks off, and says so', async () => {
    const { count, reply } = start(bytes(true));
    await assert.rejects(async () => {
      for await (const _piece of reply.body) assert.equal(count(), 0);
    }, /broke off/);
    assert.equal(count(), 1);
  });

  test('ends when its reader goes, read or not, once', async () => {
    const { count, reply, cancelled } = start(bytes());
    for await (const _piece of reply.body) break;
    reply.cancel();
    assert.deepEqual([count(), cancelled()], [1, 1]);
    const unread = start(bytes());
    unread.reply.cancel();
    assert.deepEqual([unread.count(), unread.cancelled()], [1, 1]);
  });
});

test('an upgraded connection ends when it closes, and stays the same', async () => {
  const { count, end } = counted();
  const closing = Promise.withResolvers<void>();
  const stream = { closed: closing.promise };
  const reply = { kind: 'upgrade', code: 101, headers: {}, stream } as unknown as UpgradeReply;
  assert.equal(watchEnd(reply, end), reply);
  assert.equal(count(), 0);
  closing.resolve();
  await closing.promise;
  await Promise.resolve();
  assert.equal(count(), 1);
});
