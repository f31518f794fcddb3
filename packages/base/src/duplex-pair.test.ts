import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamCutError } from './duplex.ts';
import { createDuplexPair } from './duplex-pair.ts';
import { duplexSuite } from './testing/duplex-suite.ts';
import { collectGarbage } from './testing/held-memory.ts';

duplexSuite('pair', async () => {
  const [near, far] = createDuplexPair();
  return { near, far, close: async () => undefined };
});

test('the high-water mark holds the writer back at that many bytes', async () => {
  const [near, far] = createDuplexPair({ highWaterBytes: 4 });
  await near.write(new Uint8Array(3));
  let room = false;
  const writing = near.write(new Uint8Array(3)).then(() => {
    room = true;
  });
  await Promise.resolve();
  assert.equal(room, false);
  assert.equal((await far.read())?.length, 3);
  await writing;
  assert.equal(room, true);
});

test('what was read is let go of, also when the writer is always ahead', async () => {
  const [near, far] = createDuplexPair({ highWaterBytes: 10 });
  const first = new WeakRef(new Uint8Array(4));
  const write = async (chunk: Uint8Array): Promise<void> => near.write(chunk);
  await write(first.deref() as Uint8Array);
  for (let i = 0; i < 40; i++) {
    await write(new Uint8Array(4));
    await far.read();
  }
  await collectGarbage();
  assert.equal(first.deref(), undefined);
});

test('what was written before the end is read after it; what was dropped is not', async () => {
  const [near, far] = createDuplexPair();
  await near.write(new Uint8Array(1));
  await near.end();
  far.abort(new TypeError('gone'));
  await assert.rejects(near.read(), StreamCutError);
  const cut = await near.closed;
  assert.ok(cut instanceof StreamCutError && cut.cause instanceof TypeError);
});

test('an abort behind the orderly end changes nothing', async () => {
  const [near, far] = createDuplexPair();
  await Promise.all([near.end(), far.end()]);
  near.abort();
  assert.equal(await near.closed, undefined);
  assert.equal(await near.read(), undefined);
});

test('a cut: what was written before is read, then what broke it; nothing more is taken', async () => {
  const [near, far] = createDuplexPair();
  const why = new TypeError('gone');
  await far.write(new Uint8Array(3));
  const unread = near.write(new Uint8Array(2));
  far.cut(why);
  await unread;
  assert.equal(await far.closed, why);
  await assert.rejects(far.read(), (error) => error === why);
  await assert.rejects(near.write(new Uint8Array(1)), StreamCutError);
  await assert.rejects(near.end(), StreamCutError);
  assert.equal((await near.read())?.length, 3);
  await assert.rejects(near.read(), (error: Error) => error instanceof StreamCutError && error.cause === why);
  assert.ok((await near.closed) instanceof StreamCutError);
});

test('a cut behind an end: the end is still an end, for who reads it late too', async () => {
  const [near, far] = createDuplexPair();
  await far.write(new Uint8Array(3));
  await far.end();
  far.cut(new TypeError('gone'));
  assert.equal((await near.read())?.length, 3);
  assert.equal(await near.read(), undefined);
  assert.equal(await near.read(), undefined);
  assert.ok((await near.closed) instanceof StreamCutError);
});

test('a cut lets go of a reader and of writers that wait', async () => {
  const [near, far] = createDuplexPair({ highWaterBytes: 2 });
  const [reading, writing] = [near.read(), near.write(new Uint8Array(5))];
  far.cut(new TypeError('gone'));
  await assert.rejects(reading, StreamCutError);
  await assert.rejects(writing, StreamCutError);
  assert.ok((await near.closed) instanceof StreamCutError);
});

test('who is cut off may let go of what it has not read', async () => {
  const [near, far] = createDuplexPair();
  const why = new TypeError('enough');
  await far.write(new Uint8Array(3));
  far.cut(new TypeError('gone'));
  near.abort(why);
  await assert.rejects(near.read(), (error) => error === why);
  assert.equal(await near.closed, why);
});
