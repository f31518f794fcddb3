/** Replies over real HTTP/2 connections: every stream is closed in the end, however its connection ends. */
import { bytesGrownOld } from '@binnacle/base/testing';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { ClientHttp2Session, Http2Server, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { Http2Writer } from './reply-writer.ts';

const BODY = Buffer.alloc(300_000, 'x');
const STREAMS = 50;
let server: Http2Server;
let opened = 0;
let closed = 0;
let errors: Error[] = [];
let allClosed: () => void = () => undefined;

beforeEach(async () => {
  opened = 0;
  closed = 0;
  errors = [];
  server = createServer();
  server.on('session', (session) => session.on('error', () => undefined));
  server.on('stream', reply);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.close();
});

function reply(stream: ServerHttp2Stream): void {
  opened++;
  stream.on('error', (error) => errors.push(error));
  stream.once('close', () => {
    closed++;
    if (closed === opened) allClosed();
  });
  const writer = new Http2Writer(stream);
  stream.resume().on('end', () => {
    writer.head(201, { 'audit-id': String(opened), 'content-length': BODY.length });
    writer.sink.end(BODY);
  });
}

async function open(): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  session.on('error', () => undefined);
  await once(session, 'connect');
  return session;
}

/** A request with a body; answers with the size of the reply's, or undefined when it was cut off. */
async function post(session: ClientHttp2Session): Promise<number | undefined> {
  const stream = session.request({ ':method': 'POST', ':path': '/' });
  stream.on('error', () => undefined).end('{}');
  let size = 0;
  stream.on('data', (piece: Buffer) => (size += piece.length));
  const headers = await Promise.race([once(stream, 'response'), once(stream, 'close')]);
  if (headers.length === 0) return undefined;
  if (!stream.closed) await once(stream, 'close');
  return size;
}

test('a stream that ended well closes without an error, the reply whole', async () => {
  const session = await open();
  const done = new Promise<void>((resolve) => (allClosed = resolve));
  const sizes = await Promise.all(Array.from({ length: STREAMS }, () => post(session)));
  assert.deepEqual(new Set(sizes), new Set([BODY.length]));
  await done;
  assert.deepEqual([opened, closed, errors], [STREAMS, STREAMS, []]);
  session.close();
});

test('streams close when their connection breaks while replies are on the way', async () => {
  const session = await open();
  const done = new Promise<void>((resolve) => (allClosed = resolve));
  const replies = Array.from({ length: STREAMS }, () => post(session));
  await Promise.race(replies);
  session.destroy();
  await Promise.all(replies);
  await done;
  assert.equal(closed, opened);
  assert.ok(opened > 0);
});

// 8 is CANCEL; with 0 it looks as if all had gone well, though most of the reply waits for room at the client.
for (const code of [8, 0]) {
  test(`a stream that its client resets with code ${code} closes at once`, async () => {
    const session = await open();
    const done = new Promise<void>((resolve) => (allClosed = resolve));
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    stream.on('error', () => undefined).end('{}');
    await once(stream, 'response');
    stream.close(code);
    await done;
    assert.deepEqual([opened, closed], [1, 1]);
    session.close();
  });
}

test('a reply that its client does not take is broken off', async () => {
  server.removeAllListeners('stream');
  const broken = new Promise<number>((resolve) => {
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      stream.once('close', () => resolve(stream.rstCode));
      const writer = new Http2Writer(stream);
      writer.head(200, {});
      writer.limitStall(50);
      writer.sink.write(Buffer.alloc(1 << 20));
    });
  });
  const session = await open();
  const stream = session.request({ ':path': '/' });
  stream.on('error', () => undefined);
  await once(stream, 'response');
  stream.pause();
  await broken;
  stream.destroy();
  session.close();
});

test('a code that HTTP/2 does not take is told by the last that it takes', async () => {
  server.removeListener('stream', reply);
  server.on('stream', (stream) => {
    const writer = new Http2Writer(stream);
    writer.head(777, {});
    writer.sink.end();
  });
  const session = await open();
  const stream = session.request({ ':path': '/' });
  const [headers] = (await once(stream, 'response')) as [{ readonly ':status'?: number }];
  assert.equal(headers[':status'], 599);
  session.close();
});

test('what listeners of a closed stream hold goes with the next young collections', async (t) => {
  const fields = 10_000;
  server.removeListener('stream', reply);
  server.on('stream', (stream) => {
    const held = Array.from({ length: fields }, () => 1);
    const writer = new Http2Writer(stream);
    stream.resume().on('end', () => {
      writer.head(200, { 'content-length': 1 });
      writer.sink.end(String(held[0]));
    });
  });
  const session = await open();
  await post(session);
  const bytes = await bytesGrownOld(async () => {
    for (let n = 0; n < STREAMS; n++) assert.equal(await post(session), 1);
  });
  // All of it before; now what else is compiled and made here, a tenth as large.
  const share = bytes / (STREAMS * fields * 8);
  t.diagnostic(`${share.toFixed(2)} of it stayed`);
  assert.ok(share < 0.5, `${share.toFixed(2)} of it stayed`);
  session.close();
});
