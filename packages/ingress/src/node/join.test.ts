import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { join } from './join.ts';

/** A stream that takes what it is told piece by piece, when `take` is called. */
function slowStream() {
  const heard: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (piece: Buffer, _encoding, done) => {
      waiting.push(() => {
        heard.push(piece.toString());
        done();
      });
    },
  });
  return { stream, heard, take: () => waiting.shift()?.() };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what a backend said before it closed comes to a slow client, and then the connection is over', async () => {
  const client = slowStream();
  const backend = new Duplex({ read: () => undefined, write: (_piece, _encoding, done) => done() });
  join(client.stream, backend);
  backend.push('one');
  await turn();
  backend.push('two');
  backend.push(null);
  // It has said all, and heard all.
  await once(backend, 'end');
  backend.destroy();
  await once(backend, 'close');
  assert.deepEqual([client.heard, client.stream.destroyed], [[], false]);
  client.take();
  await turn();
  client.take();
  await once(client.stream, 'close');
  assert.deepEqual(client.heard, ['one', 'two']);
});

test('who breaks off ends it for the other at once', async () => {
  const client = slowStream();
  const backend = new Duplex({ read: () => undefined, write: (_piece, _encoding, done) => done() });
  join(client.stream, backend);
  client.stream.destroy();
  await once(backend, 'close');
  assert.equal(backend.destroyed, true);
});
