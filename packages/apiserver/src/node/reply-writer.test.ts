import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex, Writable } from 'node:stream';
import test from 'node:test';
import { Http1Writer, writePieces } from './reply-writer.ts';
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
    flush: () => undefined,
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

/** A reply of HTTP/1.1 on a connection of which it is known what each write holds. */
function counted(): { readonly writer: Http1Writer; readonly writes: string[] } {
  const writes: string[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.assignSocket(socket as Socket);
  return { writer: new Http1Writer(response), writes };
}

test('head and body of a reply are one write, and a head that has to wait for its body is one of its own', async () => {
  const whole = counted();
  whole.writer.head(200, { 'content-length': 4 });
  whole.writer.sink.end(Buffer.from('body'));
  await turn();
  assert.equal(whole.writes.length, 1);
  assert.match(whole.writes[0] ?? '', /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nbody$/);
  const list = counted();
  list.writer.head(200, { 'content-length': 3 });
  await writePieces(list.writer, pieces);
  await turn();
  assert.equal(list.writes.length, 1);
  assert.match(list.writes[0] ?? '', /\r\n\r\nabc$/);
  const stream = counted();
  stream.writer.head(200, {});
  stream.writer.flush();
  await turn();
  assert.match(stream.writes[0] ?? '', /\r\n\r\n$/);
});
