import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair, readAll, StreamCutError, VirtualClock } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import { Channels } from '../messages.ts';
import { StreamResetError } from '../errors.ts';
import { createHeaderCodec } from '../node/header-codec.ts';
import { SpdyConnection } from '../spdy/connection.ts';
import type { SpdyStream } from '../spdy/lane.ts';
import { dataHead, rstStream, synStream } from '../spdy/frame.ts';
import { encodeHeaderBlock } from '../spdy/header-block.ts';
import { createMessagesPair } from '../testing/messages-pair.ts';
import { parsePort } from './session.ts';
import type { PortTarget } from './session.ts';
import { openForwarded, serveForwardOverSpdy } from './spdy-forward.ts';
import { forwardPorts, forwardPortsMax, serveForwardOverWebSocket } from './websocket-forward.ts';

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);

/** Port 80 answers with what it got, in capitals; nobody listens elsewhere. */
function target(): PortTarget {
  const shout = async (stream: Duplex): Promise<void> => {
    const heard = await readAll(stream, 1000);
    await stream.write(bytes(text(heard).toUpperCase()));
    await stream.end();
  };
  return {
    async connect(port) {
      if (port !== 80) throw new StreamCutError('connection refused');
      const [near, far] = createDuplexPair();
      shout(far).catch((error: unknown) => far.abort(error as Error));
      return near;
    },
    describe: (port, error) => `error forwarding port ${port} to pod p: ${error.message}`,
  };
}

/** Both ends of a connection; `target` is what the server's end forwards to. */
function spdyBench(forwardTo = target()) {
  const clock = new VirtualClock();
  const [near, far] = createDuplexPair();
  const served = serveForwardOverSpdy(far, { codec: createHeaderCodec(), clock }, forwardTo);
  const client = new SpdyConnection(near, { role: 'client', codec: createHeaderCodec(), clock });
  return { client, clock, served };
}

/** One pair of streams to a pod that the test plays. `words` are what a runtime says behind the end of its stream. */
async function podBench(words?: Promise<Error>) {
  const [backend, pod] = createDuplexPair();
  const stream = words === undefined ? backend : Object.assign(backend, { closed: words });
  const bench = spdyBench({ connect: async () => stream, describe: (_port, error) => error.message });
  const error = await bench.client.open({ streamtype: 'error', port: '80', requestid: '1' });
  const data = await bench.client.open({ streamtype: 'data', port: '80', requestid: '1' });
  const stop = async (): Promise<void> => {
    bench.client.abort();
    await bench.served;
  };
  return { ...bench, backend, pod, error: error.bytes, data: data.bytes, stop };
}

test('over SPDY: many connections at once, each by halves, and a port where nobody listens', async () => {
  const { client, served } = spdyBench();
  const ask = async (id: number): Promise<string> => {
    const stream = await openForwarded(client, 80, String(id));
    await stream.write(bytes(`hello ${id}`));
    await stream.end();
    return text(await readAll(stream, 1000));
  };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => ask(id)));
  assert.deepEqual(
    answers,
    Array.from({ length: 20 }, (_, id) => `HELLO ${id}`),
  );
  const nowhere = await openForwarded(client, 81, '99');
  const words = 'error forwarding port 81 to pod p: connection refused';
  assert.equal((await nowhere.closed)?.message, words);
  await client.close();
  await served;
});

test('over SPDY: a pod that has said its last is not held open by its client', async () => {
  const { clock, pod, error, data, stop } = await podBench();
  await pod.write(bytes('bye'));
  await pod.end();
  assert.equal(text(await readAll(data, 10)), 'bye');
  const verdict = readAll(error, 100);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(1000);
  assert.equal((await verdict).length, 0);
  await stop();
});

test('over SPDY: a failure that comes behind the end is told, while the client waits for it', async () => {
  const { backend, pod, error, data, stop } = await podBench();
  await pod.end();
  assert.equal(await data.read(), undefined);
  backend.abort(new StreamCutError('connection refused'));
  assert.equal(text(await readAll(error, 100)), 'connection refused');
  await stop();
});

test('over SPDY: a failure that comes behind the end is told to a client that drops its half at the end', async () => {
  // As a runtime tells it: its stream is over before its words come.
  const words = Promise.withResolvers<Error>();
  const { pod, error, data, stop } = await podBench(words.promise);
  await pod.end();
  assert.equal(await data.read(), undefined);
  data.abort();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  words.resolve(new StreamCutError('connection refused'));
  assert.equal(text(await readAll(error, 100)), 'connection refused');
  await stop();
});

test('a stream to a port that was over before the words of its failure tells them', async () => {
  const clock = new VirtualClock();
  const [near, far] = createDuplexPair();
  const halves: SpdyStream[] = [];
  const both = Promise.withResolvers<void>();
  const onStream = (stream: SpdyStream): void => void (halves.push(stream) === 2 && both.resolve());
  const server = new SpdyConnection(far, { role: 'server', codec: createHeaderCodec(), clock, onStream });
  const client = new SpdyConnection(near, { role: 'client', codec: createHeaderCodec(), clock });
  const stream = await openForwarded(client, 80, '1');
  await both.promise;
  const [error, data] = halves;
  await data?.bytes.end();
  assert.equal(await stream.read(), undefined);
  await stream.end();
  assert.equal(await data?.bytes.read(), undefined);
  await error?.bytes.write(bytes('connection refused'));
  await error?.bytes.end();
  assert.equal((await stream.closed)?.message, 'connection refused');
  server.abort();
});

test('over SPDY: a stream whose partner does not come, and one without a port', async () => {
  const { client, clock } = spdyBench();
  const lonely = await client.open({ streamtype: 'error', port: '80', requestid: '1' });
  await lonely.accepted;
  await clock.advance(30_000);
  await assert.rejects(lonely.bytes.read(), Error);
  const odd = await client.open({ streamtype: 'data', port: '0', requestid: '2' });
  await assert.rejects(odd.bytes.read(), Error);
  client.abort();
});

test('over SPDY: so many streams wait for their partners and no more, though their client has dropped them', async () => {
  const { client, served } = spdyBench();
  for (let id = 0; id < 1000; id++) {
    const { bytes: half } = await client.open({ streamtype: 'error', port: '80', requestid: String(id) });
    half.abort();
  }
  const refused = await client.open({ streamtype: 'error', port: '80', requestid: 'more' });
  await assert.rejects(refused.bytes.read(), (e: Error) => e.cause instanceof StreamResetError);
  client.abort();
  await served;
});

for (const [how, leaves] of [
  ['resets its stream', (raw: Duplex, data: number) => raw.write(rstStream(data, 5))],
  [
    'resets its stream and hangs up',
    (raw: Duplex, data: number) => raw.write(rstStream(data, 5)).then(() => raw.end()),
  ],
] as const) {
  test(`over SPDY: a pod that says nothing is let go of when its client ${how}`, async () => {
    const clock = new VirtualClock();
    const [raw, far] = createDuplexPair();
    const [backend, pod] = createDuplexPair();
    const codec = createHeaderCodec();
    const forwardTo = { connect: async () => backend, describe: (_port: number, error: Error) => error.message };
    const served = serveForwardOverSpdy(far, { codec: createHeaderCodec(), clock }, forwardTo);
    for (const [id, streamtype] of [
      [1, 'error'],
      [3, 'data'],
    ] as const) {
      await raw.write(synStream(id, await codec.compress(encodeHeaderBlock({ streamtype, port: '80' }))));
    }
    await raw.write(dataHead(3, 1, false));
    await raw.write(bytes('x'));
    assert.equal(text(await pod.read()), 'x');
    await leaves(raw, 3);
    await assert.rejects(pod.read(), StreamCutError);
    raw.abort();
    await served;
    codec.close();
  });
}

test('over a WebSocket: a pair of channels for each port', async () => {
  const [near, far] = createMessagesPair('v4.channel.k8s.io');
  const client = new Channels(near, false);
  const served = serveForwardOverWebSocket({ messages: far, clock: new VirtualClock() }, [80, 8081], target());
  const heads = [];
  for (let i = 0; i < 4; i++) heads.push(await client.read());
  assert.deepEqual(heads, [
    { channel: 0, data: new Uint8Array([80, 0]) },
    { channel: 1, data: new Uint8Array([80, 0]) },
    { channel: 2, data: new Uint8Array([0x91, 0x1f]) },
    { channel: 3, data: new Uint8Array([0x91, 0x1f]) },
  ]);
  const failure = await client.read();
  assert.equal(failure?.channel, 3);
  assert.equal(text(failure?.data), 'error forwarding port 8081 to pod p: connection refused');
  await client.write(0, bytes('x'));
  near.abort();
  await served;
});

test('ports', () => {
  const rows: readonly [text: string | undefined, port: number | undefined][] = [
    ['80', 80],
    ['65535', 65_535],
    ['65536', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['8o', undefined],
    [undefined, undefined],
  ];
  for (const [value, port] of rows) assert.equal(parsePort(value), port, value);
});

test('so many ports go over one WebSocket as its channels can be told apart', () => {
  assert.deepEqual(['v4.channel.k8s.io', 'v4.base64.channel.k8s.io'].map(forwardPortsMax), [128, 40]);
});

const PORTS: readonly (readonly [texts: readonly string[], wanted: readonly number[] | string])[] = [
  [
    ['80', '81'],
    [80, 81],
  ],
  [[], 'query parameter "port" is required'],
  [['80', 'x'], 'invalid value "x" for port'],
  [Array.from({ length: 41 }, () => '80'), 'no more than 40 ports can be forwarded over v4.base64.channel.k8s.io'],
];
for (const [texts, wanted] of PORTS) {
  test(`ports of a query: ${texts.length} of them, ${texts.at(-1)}`, () => {
    assert.deepEqual(forwardPorts(texts, 'v4.base64.channel.k8s.io'), wanted);
  });
}
