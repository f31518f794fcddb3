/** Streams of pods over WebSockets, where the kubelet speaks SPDY alone: through a listener over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { createDuplexPair, readAll, StreamCutError } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { peakOfBuffers } from '@binnacle/base/testing';
import type { Certificates } from '@binnacle/certificates/node';
import { readText } from '@binnacle/machinery';
import {
  commandOverSpdy,
  commandProtocol,
  openForwarded,
  serveForwardOverSpdy,
  SpdyConnection,
} from '@binnacle/streams';
import type { CommandOutcome, CommandSession } from '@binnacle/streams';
import { createHeaderCodec, messagesOf } from '@binnacle/streams/node';
import { LOOPBACK_USER } from '../own-calls.ts';
import type { NodeReply, NodeUpgrade, NodeUpgraded } from '../ports/nodes.ts';
import { startListeningServer } from './testing/listening-server.ts';
import type { ListeningServer } from './testing/listening-server.ts';
import { openTunnel } from './testing/tunnel-client.ts';
import { webSocketDesk } from './web-socket-desk.ts';

const V4 = 'v4.channel.k8s.io';
const PODS = '/api/v1/namespaces/default/pods';
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);

/** A kubelet that refuses everything but SPDY. What it ran, and the connections on which. */
class SpdyKubelet {
  readonly asked: NodeUpgrade[] = [];
  readonly carriers: Duplex[] = [];
  /** What commands do. */
  play: (session: CommandSession) => Promise<CommandOutcome> = echo;
  refusal: NodeReply | Error | undefined;

  async open(request: NodeUpgrade): Promise<NodeReply | NodeUpgraded> {
    this.asked.push(request);
    if (this.refusal instanceof Error) throw this.refusal;
    if (this.refusal !== undefined) return this.refusal;
    if (request.headers['upgrade'] !== 'SPDY/3.1') return refusing(400, 'unable to upgrade: only SPDY is spoken');
    const [near, far] = createDuplexPair();
    this.carriers.push(far);
    const protocol = request.headers['x-stream-protocol-version'] ?? '';
    // Never rejects: see below.
    void this.#serve(request, far, protocol);
    return { headers: { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol }, stream: near };
  }

  async #serve({ path }: NodeUpgrade, far: Duplex, protocol: string): Promise<void> {
    const ground = { codec: createHeaderCodec(), clock: realClock };
    const query = new URL(path, 'https://kubelet').searchParams;
    const [stdin, stdout, stderr, tty] = ['input', 'output', 'error', 'tty'].map((name) => query.get(name) === '1');
    const wanted = { stdin: stdin === true, stdout: stdout === true, stderr: stderr === true, tty: tty === true };
    try {
      if (path.startsWith('/portForward/')) return await serveForwardOverSpdy(far, ground, SHOUTING);
      assert.equal(protocol, V4);
      const session = await commandOverSpdy(far, { ...ground, protocol: commandProtocol(protocol) }, wanted);
      await session.finish(await this.play(session));
    } catch (error) {
      far.abort(error as Error);
    }
  }
}

async function echo({ stdin, stdout }: CommandSession): Promise<CommandOutcome> {
  for (let chunk = await stdin?.read(); chunk !== undefined; chunk = await stdin?.read()) await stdout?.write(chunk);
  return { kind: 'success' };
}

function refusing(status: number, words: string): NodeReply {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes(`${words}\n`);
  }
  return { status, body: body() };
}

/** Port 80 answers in capitals; nobody listens elsewhere. */
const SHOUTING = {
  async connect(port: number): Promise<Duplex> {
    if (port !== 80) throw new StreamCutError('connection refused');
    const [near, far] = createDuplexPair();
    const shout = async (): Promise<void> => {
      await far.write(bytes(text(await far.read()).toUpperCase()));
      await far.end();
    };
    shout().catch((error: unknown) => far.abort(error as Error));
    return near;
  },
  describe: (port: number, error: Error) => `error forwarding port ${port} to pod p: ${error.message}`,
};

let kubelet: SpdyKubelet;
let listening: ListeningServer;
let certificates: Certificates;

before(async () => {
  const nodes = {
    get: () => Promise.reject(new RangeError('nothing is read')),
    open: (request: NodeUpgrade) => kubelet.open(request),
    forward: () => Promise.reject(new RangeError('nothing is passed on')),
    connectPod: () => undefined,
  };
  listening = await startListeningServer({ server: { nodes, webSockets: webSocketDesk } });
  ({ certificates } = listening);
  const wire = listening.server.clientAs(LOOPBACK_USER);
  const create = (resource: string, body: object, namespace = ''): Promise<unknown> =>
    wire.call({ verb: 'create', resource: { group: '', version: 'v1', resource }, namespace, body });
  const addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];
  await create('nodes', { metadata: { name: 'old' }, status: { addresses } });
  const status = { addresses, declaredFeatures: ['A', 'ExtendWebSocketsToKubelet'] };
  await create('nodes', { metadata: { name: 'new' }, status });
  for (const node of ['old', 'new']) {
    const spec = { nodeName: node, containers: [{ name: 'c', image: 'i' }] };
    await create('pods', { metadata: { name: node }, spec }, 'default');
  }
});

after(() => listening.close());

const placeOf = (path: string): string => `127.0.0.1:${listening.listener.port}${PODS}/${path}`;

function connect(path: string, protocols: string[]): WebSocket {
  kubelet = new SpdyKubelet();
  return new WebSocket(`wss://${placeOf(path)}`, protocols, { ca: certificates.ca });
}

function tunnel(path: string): Promise<Duplex> {
  kubelet = new SpdyKubelet();
  return openTunnel(`https://${placeOf(path)}`, 'SPDY/3.1+portforward.k8s.io', certificates.ca);
}

/** All that comes, by channel, until the server closes or `isEnough`. Of base64 what it says. */
function hear(socket: WebSocket, isEnough: (got: ReadonlyMap<number, string>) => boolean = () => false) {
  const got = new Map<number, string>();
  const order: number[] = [];
  socket.on('message', (data: Buffer) => {
    const isBase64 = socket.protocol.includes('base64');
    const channel = (data[0] ?? 0) - (isBase64 ? 0x30 : 0);
    const said = isBase64 ? Buffer.from(data.subarray(1).toString(), 'base64') : data.subarray(1);
    order.push(channel);
    got.set(channel, (got.get(channel) ?? '') + said.toString());
    if (isEnough(got)) socket.close();
  });
  return once(socket, 'close').then(([code]) => ({ got, order, code: code as number }));
}

const said = (channel: number, words: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([channel]), typeof words === 'string' ? bytes(words) : words]);
const EXEC = 'exec?command=cat&stdin=true&stdout=true&stderr=true';

test('exec over v5: the end of the input goes on as that of a stream, and the outcome comes back', async () => {
  const socket = connect(`old/${EXEC}`, ['v5.channel.k8s.io', V4]);
  kubelet.play = async (session) => {
    await session.stdout?.write(await readAll(session.stdin as NonNullable<typeof session.stdin>, 100));
    await session.stderr?.write(bytes('warning'));
    return { kind: 'exit', exitCode: 7, message: 'exit code 7' };
  };
  await once(socket, 'open');
  const heard = hear(socket);
  socket.send(said(0, 'question'));
  socket.send(said(255, new Uint8Array([0])));
  const { got, order, code } = await heard;
  assert.deepEqual([socket.protocol, code, order[0]], ['v5.channel.k8s.io', 1000, 1]);
  assert.deepEqual([got.get(1), got.get(2)], ['question', 'warning']);
  assert.deepEqual(JSON.parse(got.get(3) ?? ''), {
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: exit code 7',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '7' }] },
  });
  const [asked] = kubelet.asked;
  assert.deepEqual(
    [asked?.method, asked?.path, asked?.headers],
    [
      'POST',
      '/exec/default/old/c?command=cat&input=1&output=1&error=1',
      { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': V4 },
    ],
  );
});

for (const protocol of [V4, 'v4.base64.channel.k8s.io', 'channel.k8s.io', '']) {
  test(`attach over ${protocol === '' ? 'no protocol' : protocol}`, async () => {
    const socket = connect('old/attach?stdin=true&stdout=true', protocol === '' ? [] : [protocol]);
    kubelet.play = async ({ stdin, stdout }) => {
      await stdout?.write(bytes(`heard ${text(await stdin?.read())}`));
      return { kind: 'success' };
    };
    await once(socket, 'open');
    const heard = hear(socket);
    socket.send(protocol.includes('base64') ? `0${Buffer.from('it').toString('base64')}` : said(0, 'it'));
    const { got } = await heard;
    // Below v4 nothing is said of success.
    const outcome = protocol.startsWith('v4') ? '{"metadata":{},"status":"Success"}' : undefined;
    assert.deepEqual([socket.protocol, got.get(1), got.get(3)], [protocol, 'heard it', outcome]);
  });
}

test('a terminal and its sizes', async () => {
  const socket = connect('old/attach?stdin=true&stdout=true&tty=true', ['v5.channel.k8s.io']);
  kubelet.play = async ({ sizes, stdout }) => {
    const { value } = await sizes[Symbol.asyncIterator]().next();
    await stdout?.write(bytes(JSON.stringify(value)));
    return { kind: 'success' };
  };
  await once(socket, 'open');
  const heard = hear(socket);
  socket.send(said(4, '{"Width":80,"Height":24}'));
  assert.equal((await heard).got.get(1), '{"width":80,"height":24}');
});

for (const [name, refusal, words] of [
  [
    'refuses',
    refusing(500, 'container not found ("c")'),
    'Internal error occurred: unable to upgrade connection: container not found ("c")',
  ],
  [
    'is not there',
    new RangeError('Post "https://192.0.2.1:10250/": dial tcp: refused'),
    'Internal error occurred: error sending request: Post "https://192.0.2.1:10250/": dial tcp: refused',
  ],
] as const) {
  test(`a kubelet that ${name}: the client reads it where it reads outcomes`, async () => {
    const socket = connect(`old/${EXEC}`, ['v5.channel.k8s.io']);
    kubelet.refusal = refusal;
    await once(socket, 'open');
    const { got } = await hear(socket);
    const { message, reason, code } = JSON.parse(got.get(3) ?? '') as { [name: string]: unknown };
    assert.deepEqual([message, reason, code], [words, 'InternalError', 500]);
  });
}

test('a kubelet whose connection breaks: the client is told, and the command is over', async () => {
  const socket = connect(`old/${EXEC}`, ['v5.channel.k8s.io']);
  kubelet.play = () => {
    kubelet.carriers[0]?.abort();
    return new Promise(() => undefined);
  };
  await once(socket, 'open');
  const { got, code } = await hear(socket);
  assert.equal(code, 1000);
  assert.match(got.get(3) ?? '', /"message":"Internal error occurred: .*cut/);
});

test('a client that leaves takes its connection to the kubelet with it', async () => {
  const socket = connect(`old/${EXEC}`, ['v5.channel.k8s.io']);
  const running = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  kubelet.play = async (session) => {
    running.resolve();
    await session.closed;
    left.resolve();
    throw new StreamCutError();
  };
  await once(socket, 'open');
  await running.promise;
  socket.terminate();
  await left.promise;
  await kubelet.carriers[0]?.closed;
});

test('to a kubelet that declares it the WebSocket goes as it is', async () => {
  const socket = connect(`new/${EXEC}`, ['v5.channel.k8s.io']);
  const [error] = (await once(socket, 'error')) as [Error];
  assert.match(error.message, /Unexpected server response: 400/);
  const [asked] = kubelet.asked;
  assert.deepEqual(
    [asked?.method, asked?.headers['upgrade'], asked?.headers['sec-websocket-protocol']],
    ['GET', 'websocket', 'v5.channel.k8s.io'],
  );
});

test('port-forward: the SPDY in the messages goes to the kubelet without them', async () => {
  const carrier = await tunnel('old/portforward?ports=80');
  const connection = new SpdyConnection(carrier, { role: 'client', codec: createHeaderCodec(), clock: realClock });
  const ask = async (id: number): Promise<string> => {
    const stream = await openForwarded(connection, 80, String(id));
    await stream.write(bytes(`hello ${id}`));
    await stream.end();
    return text(await readAll(stream, 100));
  };
  assert.deepEqual(await Promise.all([1, 2, 3].map(ask)), ['HELLO 1', 'HELLO 2', 'HELLO 3']);
  const nowhere = await openForwarded(connection, 81, '9');
  assert.equal((await nowhere.closed)?.message, 'error forwarding port 81 to pod p: connection refused');
  await connection.close();
  await kubelet.carriers[0]?.closed;
  assert.equal(kubelet.asked[0]?.headers['x-stream-protocol-version'], 'portforward.k8s.io');
});

test('port-forward over channels: a pair for each port', async () => {
  const socket = connect('old/portforward?ports=80&ports=81', [V4]);
  await once(socket, 'open');
  const heard = hear(socket, (got) => got.get(0)?.endsWith('HELLO') === true && (got.get(3) ?? '').length > 2);
  socket.send(said(0, 'hello'));
  const { got } = await heard;
  assert.deepEqual([got.get(0), got.get(3)], ['P\0HELLO', 'Q\0error forwarding port 81 to pod p: connection refused']);
  await kubelet.carriers[0]?.closed;
});

test('port-forward: a client that leaves takes its connection to the kubelet with it', async () => {
  const carrier = await tunnel('old/portforward?ports=80');
  await carrier.write(new Uint8Array(1));
  carrier.abort();
  await kubelet.carriers[0]?.closed;
});

for (const [name, code, refusal] of [
  ['that the kubelet refuses', 404, refusing(404, 'no')],
  ['whose kubelet is gone', 500, new RangeError('gone')],
] as const) {
  test(`refused before the connection changes: a forward ${name}`, async () => {
    const opening = tunnel('old/portforward');
    kubelet.refusal = refusal;
    await assert.rejects(opening, (error: Error) => error.message === `refused: ${code}`);
  });
}

type Refused = readonly [name: string, path: string, protocols: string[], code: number];
const REFUSED: readonly Refused[] = [
  ['channels without a port', 'old/portforward', [V4], 400],
  ['what is no port', 'old/portforward?ports=x', [V4], 400],
  ['protocols that nobody speaks', `old/${EXEC}`, ['v9.channel.k8s.io'], 403],
  ['protocols of another stream', 'old/portforward?ports=80', ['v5.channel.k8s.io'], 403],
];
for (const [name, path, protocols, code] of REFUSED) {
  test(`refused before the connection changes: ${name}`, async () => {
    const socket = connect(path, protocols);
    const [error] = (await once(socket, 'error')) as [Error];
    assert.equal(error.message, `Unexpected server response: ${code}`);
  });
}

test('256 MB out of a command, with flat memory', { timeout: 120_000 }, async () => {
  const total = 256 * 1024 * 1024;
  const socket = connect('old/exec?command=yes&stdout=true', ['v5.channel.k8s.io']);
  kubelet.play = async ({ stdout }) => {
    for (let sent = 0; sent < total; sent += 64 * 1024) await stdout?.write(new Uint8Array(64 * 1024));
    return { kind: 'success' };
  };
  const messages = messagesOf(socket);
  assert.deepEqual([...((await messages.read())?.data ?? [])], [1]);
  const peak = await peakOfBuffers(total, async () => {
    const message = await messages.read();
    return message?.data[0] === 1 ? message.data.length - 1 : 0;
  });
  assert.equal(text((await messages.read())?.data.subarray(1)), '{"metadata":{},"status":"Success"}');
  await messages.close();
  // Every stage with its own bound: together some 16 MB, which do not grow with what passes.
  assert.ok(peak < total / 8, `${peak} bytes were held`);
});

test('they are counted', async () => {
  const lines = (await readText(listening.server.clientAs(LOOPBACK_USER), '/metrics')).split('\n');
  const counted = lines.filter((line) => /^apiserver_(websocket_streaming|stream_t)/.test(line));
  assert.deepEqual(
    counted.map((line) => line.replace(/ \d+$/, '')),
    [
      'apiserver_websocket_streaming_requests_total{subresource="exec",proxy_type="translated_at_apiserver"}',
      'apiserver_websocket_streaming_requests_total{subresource="attach",proxy_type="translated_at_apiserver"}',
      'apiserver_websocket_streaming_requests_total{subresource="exec",proxy_type="proxied_to_kubelet"}',
      'apiserver_websocket_streaming_requests_total{subresource="portforward",proxy_type="translated_at_apiserver"}',
      'apiserver_stream_translator_requests_total{code="200"}',
      'apiserver_stream_translator_requests_total{code="500"}',
      'apiserver_stream_tunnel_requests_total{code="101"}',
      'apiserver_stream_tunnel_requests_total{code="404"}',
    ],
  );
});
