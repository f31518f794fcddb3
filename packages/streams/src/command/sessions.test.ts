import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair, readAll, VirtualClock } from '@binnacle/base';
import { StreamProtocolError } from '../errors.ts';
import { Channels } from '../messages.ts';
import { createHeaderCodec } from '../node/header-codec.ts';
import { SpdyConnection } from '../spdy/connection.ts';
import { createMessagesPair } from '../testing/messages-pair.ts';
import { commandProtocol } from './protocols.ts';
import type { CommandOutcome, CommandStreams, TerminalSize } from './session.ts';
import { noSizes } from './session.ts';
import { runCommandOverSpdy } from './spdy-client.ts';
import { commandOverSpdy } from './spdy-session.ts';
import { commandOverWebSocket } from './websocket-session.ts';

const ALL: CommandStreams = { stdin: true, stdout: true, stderr: true, tty: false };
const EXIT: CommandOutcome = { kind: 'exit', exitCode: 7, message: 'exit code 7' };
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);

test('over SPDY: input with its end, both outputs, exit status', async () => {
  const clock = new VirtualClock();
  const [near, far] = createDuplexPair();
  const protocol = commandProtocol('v4.channel.k8s.io');
  const serving = commandOverSpdy(far, { codec: createHeaderCodec(), clock, protocol }, ALL);
  const client = new SpdyConnection(near, { role: 'client', codec: createHeaderCodec(), clock });
  const [stdin, stdinFar] = createDuplexPair();
  const [stdout, stdoutFar] = createDuplexPair();
  const [stderr, stderrFar] = createDuplexPair();
  const running = runCommandOverSpdy(client, ALL, { stdin, stdout, stderr, sizes: noSizes() });
  await stdinFar.write(bytes('question'));
  await stdinFar.end();
  const session = await serving;
  assert.equal(text(await readAll(session.stdin as NonNullable<typeof session.stdin>, 100)), 'question');
  await session.stdout?.write(bytes('answer'));
  await session.stderr?.write(bytes('warning'));
  const finishing = session.finish(EXIT);
  assert.deepEqual(await running, EXIT);
  assert.deepEqual([text(await stdoutFar.read()), text(await stderrFar.read())], ['answer', 'warning']);
  await client.close();
  await finishing;
  assert.equal(await session.closed, undefined);
});

test('over SPDY with a terminal: one output, sizes', async () => {
  const clock = new VirtualClock();
  const [near, far] = createDuplexPair();
  const wanted = { ...ALL, tty: true };
  const protocol = commandProtocol('v3.channel.k8s.io');
  const serving = commandOverSpdy(far, { codec: createHeaderCodec(), clock, protocol }, wanted);
  const client = new SpdyConnection(near, { role: 'client', codec: createHeaderCodec(), clock });
  async function* sizes(): AsyncGenerator<TerminalSize> {
    yield { width: 80, height: 24 };
  }
  const running = runCommandOverSpdy(client, wanted, { sizes: sizes() });
  const session = await serving;
  assert.equal(session.stderr, undefined);
  assert.deepEqual((await session.sizes[Symbol.asyncIterator]().next()).value, { width: 80, height: 24 });
  const finishing = session.finish({ kind: 'success' });
  assert.deepEqual(await running, { kind: 'success' });
  await client.close();
  await finishing;
});

test('over SPDY: a client that opens no streams, or leaves, is not waited for', async () => {
  const clock = new VirtualClock();
  for (const leaves of [true, false]) {
    const [near, far] = createDuplexPair();
    const protocol = commandProtocol('v4.channel.k8s.io');
    const serving = commandOverSpdy(far, { codec: createHeaderCodec(), clock, protocol }, ALL);
    const refused = assert.rejects(serving, StreamProtocolError);
    if (leaves) await near.end();
    else await clock.advance(30_000);
    await refused;
  }
});

for (const name of ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io', 'channel.k8s.io', '']) {
  test(`over a WebSocket: ${name || 'no protocol'}`, async () => {
    const protocol = commandProtocol(name);
    const [near, far] = createMessagesPair(name);
    const client = new Channels(near, protocol.base64);
    const session = commandOverWebSocket(far, protocol, ALL);
    assert.deepEqual(await client.read(), { channel: 1, data: new Uint8Array(0) }, 'a first sign of life');
    await client.write(0, bytes('question'));
    assert.equal(text(await session.stdin?.read()), 'question');
    if (protocol.version === 5) {
      await client.write(255, new Uint8Array([0]));
      assert.equal(await session.stdin?.read(), undefined);
    }
    await session.stdout?.write(bytes('answer'));
    await session.stderr?.write(bytes('warning'));
    assert.deepEqual(await client.read(), { channel: 1, data: bytes('answer') });
    assert.deepEqual(await client.read(), { channel: 2, data: bytes('warning') });
    await session.finish({ kind: 'success' });
    const last = await client.read();
    if (protocol.version < 4) assert.equal(last, undefined, 'nothing about success');
    else assert.deepEqual([last?.channel, text(last?.data)], [3, '{"metadata":{},"status":"Success"}']);
  });
}

test('over a WebSocket with a terminal: one output, sizes', async () => {
  const [near, far] = createMessagesPair('v4.channel.k8s.io');
  const client = new Channels(near, false);
  const session = commandOverWebSocket(far, commandProtocol('v4.channel.k8s.io'), { ...ALL, tty: true });
  assert.equal(session.stderr, undefined);
  await client.write(4, bytes('{"Width":80,"Height":24}'));
  assert.deepEqual((await session.sizes[Symbol.asyncIterator]().next()).value, { width: 80, height: 24 });
  near.abort();
  await session.closed;
});

test('over a WebSocket without a terminal: sizes hold up no input', async () => {
  const [near, far] = createMessagesPair('v4.channel.k8s.io');
  const client = new Channels(near, false);
  const session = commandOverWebSocket(far, commandProtocol('v4.channel.k8s.io'), ALL);
  for (let i = 0; i < 3; i++) await client.write(4, new Uint8Array(64 * 1024).fill(0x20));
  await client.write(0, bytes('question'));
  assert.equal(text(await session.stdin?.read()), 'question');
  assert.equal((await session.sizes[Symbol.asyncIterator]().next()).done, true);
  near.abort();
  await session.closed;
});

test('over a WebSocket: whoever waits for input hears that the client has gone', async () => {
  const [near, far] = createMessagesPair('v5.channel.k8s.io');
  const session = commandOverWebSocket(far, commandProtocol('v5.channel.k8s.io'), ALL);
  const reading = session.stdin?.read();
  near.abort();
  await assert.rejects(reading as Promise<unknown>);
  assert.ok((await session.closed) instanceof Error);
});
