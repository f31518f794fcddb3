import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAll, StreamCutError } from './duplex.ts';
import type { Duplex } from './duplex.ts';
import { createDuplexPair } from './duplex-pair.ts';
import { joinDuplex } from './duplex-join.ts';

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

test('bytes and half-closes pass through', async () => {
  const [client, left] = createDuplexPair();
  const [right, server] = createDuplexPair();
  const joined = joinDuplex(left, right);
  await client.write(bytes('question'));
  await client.end();
  assert.deepEqual(await readAll(server, 100), bytes('question'));
  await server.write(bytes('answer'));
  await server.end();
  assert.deepEqual(await readAll(client, 100), bytes('answer'));
  assert.equal(await joined, undefined);
});

test('what breaks one side drops the other', async () => {
  const [client, left] = createDuplexPair();
  const [right, server] = createDuplexPair();
  const joined = joinDuplex(left, right);
  client.abort();
  await assert.rejects(server.read(), StreamCutError);
  assert.ok((await joined) instanceof StreamCutError);
});

test('one that takes no more is still heard to its end', async () => {
  const [client, left] = createDuplexPair();
  const [right, server] = createDuplexPair();
  const deaf: Duplex = Object.assign(right, { write: () => Promise.reject(new StreamCutError('write EPIPE')) });
  const joined = joinDuplex(left, deaf);
  await client.write(bytes('too late'));
  await server.write(bytes('last words'));
  await server.end();
  assert.deepEqual(await readAll(client, 100), bytes('last words'));
  assert.equal((await joined)?.message, 'write EPIPE');
});

test('a client that goes away while both sides wait to be read leaves nothing', async () => {
  const [client, left] = createDuplexPair({ highWaterBytes: 10 });
  const [right, server] = createDuplexPair({ highWaterBytes: 10 });
  const joined = joinDuplex(left, right);
  // An echo that listens again only when its last word is taken.
  const echo = (async () => {
    for (let chunk = await server.read(); chunk !== undefined; chunk = await server.read()) await server.write(chunk);
  })();
  echo.catch(() => undefined);
  const writing = (async () => {
    for (;;) await client.write(new Uint8Array(10));
  })();
  writing.catch(() => undefined);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  client.cut(new StreamCutError('the client was killed'));
  assert.ok((await joined) instanceof StreamCutError);
  await assert.rejects(echo, StreamCutError);
  await assert.rejects(writing, StreamCutError);
});

test('a signal drops both', async () => {
  const [client, left] = createDuplexPair();
  const [right, server] = createDuplexPair();
  const abort = new AbortController();
  const joined = joinDuplex(left, right, abort.signal);
  abort.abort();
  await assert.rejects(client.read(), StreamCutError);
  await assert.rejects(server.read(), StreamCutError);
  assert.ok((await joined) instanceof StreamCutError);
});

test('a slow side holds the quick one back', async () => {
  const [client, left] = createDuplexPair({ highWaterBytes: 10 });
  const [right, server] = createDuplexPair({ highWaterBytes: 10 });
  const joined = joinDuplex(left, right);
  let written = 0;
  const writing = (async () => {
    for (; written < 100; written++) await client.write(new Uint8Array(10));
    await client.end();
  })();
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(written < 10, `${written} chunks were taken`);
  assert.equal((await readAll(server, 10_000)).length, 1000);
  await writing;
  await server.end();
  assert.equal(await client.read(), undefined);
  assert.equal(await joined, undefined);
});
