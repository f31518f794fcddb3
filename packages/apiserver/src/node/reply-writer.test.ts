import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import test from 'node:test';
import { writePieces } from './reply-writer.ts';
import type { ReplyWriter } from './reply-writer.ts';

/** A client that takes one piece at a time, when told to. */
function slowWriter(): { writer: ReplyWriter; taken: string[]; take: () => void } {
  const taken: string[] = [];
  let next: (() => void) | undefined;
  const sink = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString());
      next = done;
    },
  });
  const writer: ReplyWriter = {
    get gone() {
      return sink.destroyed;
    },
    sink,
    head: () => undefined,
    onGone: (run) => sink.once('close', run),
    limitStall: () => undefined,
  };
  return { writer, taken, take: () => next?.() };
}

const pieces = ['a', 'b', 'c'].map((text) => Buffer.from(text));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('makes a piece only when the one before is taken', async () => {
  const { writer, taken, take } = slowWriter();
  let made = 0;
  const writing = writePieces(
    writer,
    (function* () {
      for (const piece of pieces) {
        made++;
        yield piece;
      }
    })(),
  );
  await turn();
  assert.deepEqual([made, taken], [1, ['a']]);
  for (let i = 0; i < 3; i++) {
    take();
    await turn();
  }
  await writing;
  assert.deepEqual(taken, ['a', 'b', 'c']);
});

test('stops when the client has gone', async () => {
  const { writer, taken } = slowWriter();
  const writing = writePieces(writer, pieces);
  await turn();
  writer.sink.destroy();
  await writing;
  assert.deepEqual(taken, ['a']);
});
