import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Messages } from '../messages.ts';
import { tunnelOver } from '../messages.ts';
import { acceptWebSocket, messagesOf } from './websocket.ts';

const server = createServer();
let port = 0;
let accepted: (messages: Messages | undefined) => void;

before(async () => {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Uint8Array) => {
    const [first = ''] = (request.headers['sec-websocket-protocol'] ?? '').split(',');
    acceptWebSocket(request, { socket, head }, first).then(
      (messages) => accepted(messages),
      (error: unknown) => socket.destroy(error as Error),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

after(async () => {
  server.close();
  await once(server, 'close');
});

async function pair(protocol = 'v5.channel.k8s.io'): Promise<readonly [Messages, Messages]> {
  const coming = new Promise<Messages | undefined>((resolve) => {
    accepted = resolve;
  });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, protocol === '' ? [] : [protocol]);
  const near = messagesOf(socket, protocol);
  await once(socket, 'open');
  const far = await coming;
  assert.ok(far !== undefined);
  assert.equal(far.protocol, protocol);
  return [near, far];
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A connection that has said hello, and the server's end of it. */
async function rawPair(): Promise<readonly [Socket, Messages]> {
  const coming = new Promise<Messages | undefined>((resolve) => {
    accepted = resolve;
  });
  const raw = connect(port, '127.0.0.1');
  raw.on('error', () => undefined);
  raw.write(
    'GET / HTTP/1.1\r\nhost: h\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n' +
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: v4.channel.k8s.io\r\n\r\n',
  );
  raw.resume();
  const far = await coming;
  assert.ok(far !== undefined);
  return [raw, far];
}

/** So many messages without a byte: a piece of a connection holds ten thousand. */
const emptyMessages = (count: number): Buffer => Buffer.alloc(6 * count, Buffer.from([0x82, 0x80, 0, 0, 0, 0]));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('many messages in one piece leave turns to others', async () => {
  const [raw, far] = await rawPair();
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns++) await turn();
  })();
  raw.write(emptyMessages(1000));
  for (let at = 0; at < 1000; at++) await far.read();
  isOver = true;
  await counting;
  assert.ok(turns > 500, `others had ${turns} turns`);
  far.abort();
  raw.destroy();
});

test('messages that nobody reads are taken up to a bound, though they hold nothing', async () => {
  const [raw, far] = await rawPair();
  let isTaken = false;
  raw.write(emptyMessages(4_000_000), () => (isTaken = true));
  for (let at = 0; at < 5000; at++) await turn();
  assert.equal(isTaken, false);
  far.abort();
  raw.destroy();
});

test('now and then the other side is asked whether it is there', { timeout: 10_000 }, async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const coming = new Promise<Messages | undefined>((resolve) => {
    accepted = resolve;
  });
  const client = new WebSocket(`ws://127.0.0.1:${port}/`, ['v5.channel.k8s.io']);
  await once(client, 'open');
  const far = await coming;
  const asked = once(client, 'ping');
  t.mock.timers.tick(10_000);
  await asked;
  client.close();
  await far?.closed;
});

test('a goodbye ends the connection, though the client never says it too', { timeout: 10_000 }, async () => {
  const coming = new Promise<Messages | undefined>((resolve) => {
    accepted = resolve;
  });
  const raw = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  raw.write(
    'GET / HTTP/1.1\r\nhost: h\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n' +
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: v4.channel.k8s.io\r\n\r\n',
  );
  raw.resume();
  const far = await coming;
  assert.ok(far !== undefined);
  const ended = once(raw, 'end');
  const closing = far.close();
  await ended;
  raw.end();
  await closing;
  assert.equal(await far.closed, undefined);
});

test('messages keep their bounds and their kind; a close ends both', async () => {
  const [near, far] = await pair();
  await near.write(bytes('text'), { text: true });
  await near.write(new Uint8Array(0));
  assert.deepEqual((await far.read())?.text, true);
  assert.equal((await far.read())?.data.length, 0);
  await far.write(bytes('x'));
  await far.close();
  assert.deepEqual(new Uint8Array((await near.read())?.data ?? []), bytes('x'));
  assert.equal(await near.read(), undefined);
  assert.deepEqual(await Promise.all([near.closed, far.closed]), [undefined, undefined]);
  await assert.rejects(far.write(bytes('late')));
});

test('a connection that is dropped is no orderly end', async () => {
  const [near, far] = await pair('');
  const reading = assert.rejects(far.read());
  near.abort();
  await reading;
  assert.ok((await far.closed) instanceof Error);
});

test('a message beyond any bound ends the connection', async () => {
  const [near, far] = await pair();
  near.write(new Uint8Array(5 * 1024 * 1024)).catch(() => undefined);
  await assert.rejects(far.read(), /Max payload size exceeded/);
  assert.ok((await near.closed) === undefined || (await near.closed) instanceof Error);
});

async function handshake(headers: { readonly [name: string]: string }): Promise<IncomingMessage> {
  const asked = request({
    port,
    host: '127.0.0.1',
    headers: { connection: 'upgrade', upgrade: 'websocket', ...headers },
  });
  asked.end();
  return new Promise((resolve, reject) => {
    asked.on('error', reject);
    asked.on('response', resolve);
    asked.on('upgrade', (message, socket) => {
      socket.destroy();
      resolve(message);
    });
  });
}

test('what is no handshake is told so', async () => {
  const coming = new Promise<Messages | undefined>((resolve) => {
    accepted = resolve;
  });
  const reply = await handshake({});
  reply.resume();
  assert.equal(reply.statusCode, 400);
  assert.equal(await coming, undefined);
});

test('a subprotocol whose name is no token of HTTP is agreed on too', async () => {
  const coming = new Promise<Messages | undefined>((resolve) => {
    accepted = resolve;
  });
  const name = 'SPDY/3.1+portforward.k8s.io';
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  const asked = { 'sec-websocket-version': '13', 'sec-websocket-key': key, 'sec-websocket-protocol': name };
  const reply = await handshake(asked);
  assert.deepEqual([reply.statusCode, reply.headers['sec-websocket-protocol']], [101, name]);
  assert.equal((await coming)?.protocol, name);
});

// A WebSocket knows no half-close: both directions end together, and an end has to be waited for at both sides.
test('a tunnel through it', async () => {
  const [near, far] = await pair('tunnel');
  const [ours, theirs] = [tunnelOver(near), tunnelOver(far)];
  let written = 0;
  const reading = (async () => {
    let read = 0;
    for (let chunk = await theirs.read(); chunk !== undefined; chunk = await theirs.read()) read += chunk.length;
    return read;
  })();
  for (; written < 20 * 1024 * 1024; written += 64 * 1024) await ours.write(new Uint8Array(64 * 1024));
  await ours.end();
  assert.equal(await reading, written);
});

test('a writer is held back by a reader that does not read', async () => {
  const [near, far] = await pair();
  let written = 0;
  let held = false;
  while (!held) {
    held = await Promise.race([
      near.write(new Uint8Array(64 * 1024)).then(() => false),
      new Promise<boolean>((resolve) => setTimeout(resolve, 200, true)),
    ]);
    written += 64 * 1024;
    assert.ok(written < 32 * 1024 * 1024);
  }
  far.abort();
  await near.closed;
});
