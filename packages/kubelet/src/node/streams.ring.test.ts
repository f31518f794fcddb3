import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { createDuplexPair, joinBytes, readAll, Scope, silentLogger } from '@binnacle/base';
import type { Duplex, HttpReply, HttpUpgraded } from '@binnacle/base';
import { createHttpCaller, realClock } from '@binnacle/base/node';
import { makeTestCertificate, peakOfBuffers } from '@binnacle/base/testing';
import type { Client } from '@binnacle/client';
import { openForwarded, runCommandOverSpdy, SpdyConnection } from '@binnacle/streams';
import type { CommandOutcome, CommandStreams, TerminalSize } from '@binnacle/streams';
import { createHeaderCodec } from '@binnacle/streams/node';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import type { TestNode } from '../testing/node.ts';
import { serveKubelet } from './https-server.ts';
import { openLocalStream } from './local-upgrade.ts';

const identity = makeTestCertificate(['IP:127.0.0.1']);
const pair = { certificate: identity.cert, key: identity.key };
const trust = { ca: identity.cert };
const caller = createHttpCaller();
const scope = new Scope('ring');
let node: TestNode;
let place = '';

/** The token `good` is jane's, who may do everything. */
const client = {
  dynamic: (resource: { resource: string }) => ({
    create: async (draft: { spec: { token?: string; user?: string } }) =>
      resource.resource === 'tokenreviews'
        ? { status: draft.spec.token === 'good' ? { authenticated: true, user: { username: 'jane' } } : {} }
        : { status: { allowed: draft.spec.user === 'jane' } },
  }),
} as unknown as Client;

before(async () => {
  node = await startTestNode();
  node.source.put(
    testPod({
      metadata: {
        annotations: { 'simulated.binnacle.dev/http-port': '80', 'simulated.binnacle.dev/http-body': 'page' },
      },
    }),
  );
  await pass(node.clock, 100);
  const { kubelet } = node;
  const shared = { kubelet, client, clientCa: identity.cert, host: '127.0.0.1', port: 0, clock: realClock };
  const { port } = await serveKubelet({ ...shared, pair, log: silentLogger, scope });
  place = `127.0.0.1:${port}`;
});

after(async () => {
  await caller.close();
  await scope.close();
  await node.scope.close();
});

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const text = (value: Uint8Array): string => new TextDecoder().decode(value);

function upgrade(path: string, headers: { readonly [name: string]: string } = {}): Promise<HttpReply | HttpUpgraded> {
  const spdy = { upgrade: 'SPDY/3.1', authorization: 'Bearer good', ...headers };
  return caller.upgrade({ method: 'POST', url: `https://${place}${path}`, trust, headers: spdy });
}

async function refusal(reply: HttpReply | HttpUpgraded): Promise<string> {
  assert.ok('body' in reply, 'the connection changed');
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of reply.body) {
    parts.push(part);
    length += part.length;
  }
  return `${reply.status} ${text(joinBytes(parts, length)).trim()}`;
}

function spdyOver(reply: HttpReply | HttpUpgraded): SpdyConnection {
  assert.ok('stream' in reply, `answered ${reply.status}`);
  return new SpdyConnection(reply.stream, { role: 'client', codec: createHeaderCodec(), clock: realClock });
}

interface Ran {
  readonly outcome: CommandOutcome;
  readonly out: string;
  readonly err: string;
}

async function runOverSpdy(path: string, wanted: CommandStreams, input: Uint8Array): Promise<Ran> {
  const connection = spdyOver(
    await upgrade(path, { 'x-stream-protocol-version': 'v5.channel.k8s.io, v4.channel.k8s.io' }),
  );
  const [stdin, stdinFar] = createDuplexPair();
  const [stdout, stdoutFar] = createDuplexPair();
  const [stderr, stderrFar] = createDuplexPair();
  async function* sizes(): AsyncGenerator<TerminalSize> {
    yield { width: 80, height: 24 };
  }
  const running = runCommandOverSpdy(connection, wanted, { stdin, stdout, stderr, sizes: sizes() });
  const [, out, err, outcome] = await Promise.all([
    stdinFar.write(input).then(() => stdinFar.end()),
    readAll(stdoutFar, 1e8),
    readAll(stderrFar, 1e8),
    running.then(async (ended) => {
      await Promise.all([stdout.end(), stderr.end()]);
      return ended;
    }),
  ]);
  await connection.close();
  return { outcome, out: text(out), err: text(err) };
}

const PIPES: CommandStreams = { stdin: true, stdout: true, stderr: true, tty: false };

test('exec over SPDY: output, errors, exit code', async () => {
  const path = `/exec/default/web/main?input=1&output=1&error=1&command=sh&command=-c&command=${encodeURIComponent('echo out; echo err >&2; exit 7')}`;
  const { outcome, out, err } = await runOverSpdy(path, PIPES, new Uint8Array(0));
  assert.deepEqual([out, err], ['out\n', 'err\n']);
  assert.deepEqual(outcome, {
    kind: 'exit',
    exitCode: 7,
    message: 'error executing command [sh -c echo out; echo err >&2; exit 7], exit code 7',
  });
});

test('exec over SPDY: the end of the input, 3 MB there and back', async () => {
  const { outcome, out } = await runOverSpdy(
    '/exec/default/web/main?input=1&output=1&error=1&command=cat',
    PIPES,
    new Uint8Array(3_000_000).fill(97),
  );
  assert.deepEqual([outcome, out.length], [{ kind: 'success' }, 3_000_000]);
});

test('what cannot run', async () => {
  const { outcome } = await runOverSpdy(
    '/exec/default/web/main?input=1&output=1&error=1&command=nothing',
    PIPES,
    new Uint8Array(0),
  );
  assert.ok(outcome.kind === 'failure');
  assert.match(outcome.message, /^error executing command in container: .*executable file not found/);
});

type Refusal = readonly [name: string, path: string, headers: { [name: string]: string }, wanted: RegExp];
const REFUSALS: readonly Refusal[] = [
  ['nobody', '/exec/default/web/main?output=1&command=ls', { authorization: 'Bearer bad' }, /^401 Unauthorized$/],
  ['no pod', '/exec/default/no/main?output=1&command=ls', {}, /^404 pod does not exist$/],
  ['another pod of that name', '/exec/default/web/u/main?output=1&command=ls', {}, /^404 pod does not exist$/],
  ['no container', '/exec/default/web/side?output=1&command=ls', {}, /^500 container not found \("side"\)$/],
  ['no streams', '/exec/default/web/main?command=ls', {}, /^400 you must specify at least 1 of stdin, stdout, stderr$/],
  ['no such path', '/nothing', {}, /^404 404 page not found$/],
  ['a broken path', '/exec/%ZZ', {}, /^400 Bad Request$/],
  [
    'no protocol in common',
    '/attach/default/web/main?output=1',
    { 'x-stream-protocol-version': 'v9' },
    /^403 unable to upgrade: unable to negotiate protocol: client supports \[v9\], server accepts \[v4.channel.k8s.io /,
  ],
  ['another upgrade', '/attach/default/web/main?output=1', { upgrade: 'h2c' }, /^400 unable to upgrade/],
  ...(['v4.channel.k8s.io', 'v4.base64.channel.k8s.io'] as const).map((protocol): Refusal => {
    const path = `/portForward/default/web?${Array.from({ length: 129 }, (_, at) => `port=${at + 1}`).join('&')}`;
    const headers = { upgrade: 'websocket', 'sec-websocket-protocol': protocol };
    return [`more ports than ${protocol} has channels`, path, headers, /^400 no more than (128|40) ports can be forw/];
  }),
];

for (const [name, path, headers, wanted] of REFUSALS) {
  test(`refused: ${name}`, async () => assert.match(await refusal(await upgrade(path, headers)), wanted));
}

test('without an upgrade, and /run', async () => {
  const ask = async (method: string, path: string): Promise<string> =>
    refusal(
      await caller.request({
        method,
        url: `https://${place}${path}`,
        trust,
        headers: { authorization: 'Bearer good' },
      }),
    );
  assert.equal(await ask('POST', '/exec/default/web/main?output=1&command=ls'), '400 Upgrade request required');
  assert.equal(await ask('POST', '/run/default/web/main?cmd=echo%20a%20b'), '200 a b');
  assert.equal(await ask('POST', '/run/default/web/main'), '400 cmd is required');
  assert.equal(await ask('POST', '/run/default/no/main?cmd=x'), '404 pod does not exist');
});

interface Frames {
  readonly socket: WebSocket;
  /** All that came, by channel, once it is closed. */
  readonly all: Promise<Heard>;
}

type Heard = ReadonlyMap<number, string>;

/** `isEnough`: of what has come by channel; the client closes then. Else the server does. */
async function webSocket(
  path: string,
  protocol: string,
  isEnough: (got: Heard) => boolean = () => false,
): Promise<Frames> {
  const socket = new WebSocket(`wss://${place}${path}`, [protocol], {
    ca: identity.cert,
    headers: { authorization: 'Bearer good' },
  });
  const got = new Map<number, string>();
  socket.on('message', (data: Buffer) => {
    got.set(data[0] ?? 0, (got.get(data[0] ?? 0) ?? '') + data.subarray(1).toString());
    if (isEnough(got)) socket.close();
  });
  await once(socket, 'open');
  return { socket, all: once(socket, 'close').then(() => got) };
}

test('exec over WebSocket v5: the end of the input, exit status', async () => {
  const { socket, all } = await webSocket(
    '/exec/default/web/main?input=1&output=1&error=1&command=sh',
    'v5.channel.k8s.io',
  );
  socket.send(Buffer.concat([Buffer.from([0]), bytes('echo hi; false')]));
  socket.send(Buffer.from([255, 0]));
  const got = await all;
  assert.equal(got.get(1), 'hi\n');
  assert.equal((JSON.parse(got.get(3) ?? '{}') as { reason: string }).reason, 'NonZeroExitCode');
});

test('exec over WebSocket below v4: nothing about success', async () => {
  const { all } = await webSocket('/exec/default/web/main?output=1&command=echo&command=x', 'channel.k8s.io');
  assert.deepEqual([...(await all)], [[1, 'x\n']]);
});

async function page(stream: Duplex): Promise<string> {
  await stream.write(bytes('GET / HTTP/1.1\r\nconnection: close\r\n\r\n'));
  await stream.end();
  return text(await readAll(stream, 10_000));
}

test('port-forward over SPDY: connections at once, and a port where nobody listens', async () => {
  const connection = spdyOver(
    await upgrade('/portForward/default/web', { 'x-stream-protocol-version': 'portforward.k8s.io' }),
  );
  const pages = await Promise.all([1, 2, 3].map(async (id) => page(await openForwarded(connection, 80, String(id)))));
  for (const one of pages) assert.match(one, /page$/);
  const nowhere = await openForwarded(connection, 81, '9');
  assert.match((await nowhere.closed)?.message ?? '', /^error forwarding port 81 to pod .*: .*connection refused$/);
  await connection.close();
});

test('port-forward over WebSocket v4', async () => {
  const path = '/portForward/default/web?port=80&port=81';
  const isEnough = (got: Heard): boolean => (got.get(0) ?? '').endsWith('page') && (got.get(3) ?? '').length > 2;
  const { socket, all } = await webSocket(path, 'v4.channel.k8s.io', isEnough);
  socket.send(Buffer.concat([Buffer.from([0]), bytes('GET / HTTP/1.1\r\nconnection: close\r\n\r\n')]));
  const got = await all;
  assert.match(got.get(0) ?? '', /^P\0HTTP\/1.1 200 OK[^]*page$/);
  assert.match(got.get(3) ?? '', /^Q\0error forwarding port 81/);
});

test('within the process: the same, without a socket', async () => {
  const path = '/exec/default/web/main?output=1&command=echo&command=hi';
  const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };
  const answer = await openLocalStream(node.kubelet, { method: 'POST', path, headers }, realClock);
  assert.deepEqual([answer.status, answer.headers['upgrade']], [101, 'SPDY/3.1']);
  const connection = new SpdyConnection(answer.stream, {
    role: 'client',
    codec: createHeaderCodec(),
    clock: realClock,
  });
  const [stdout, stdoutFar] = createDuplexPair();
  async function* sizes(): AsyncGenerator<TerminalSize> {
    // None.
  }
  const wanted = { stdin: false, stdout: true, stderr: false, tty: false };
  const outcome = await runCommandOverSpdy(connection, wanted, { stdout, sizes: sizes() });
  await stdout.end();
  assert.deepEqual([outcome, text(await readAll(stdoutFar, 100))], [{ kind: 'success' }, 'hi\n']);
  await connection.close();
  const refused = await openLocalStream(
    node.kubelet,
    { method: 'POST', path: path.replace('web', 'no'), headers },
    realClock,
  );
  assert.deepEqual([refused.status, text(await readAll(refused.stream, 100))], [404, 'pod does not exist\n']);
  const config = { ...node.kubelet.config, hasDebugging: false };
  const off = await openLocalStream({ ...node.kubelet, config }, { method: 'POST', path, headers }, realClock);
  assert.deepEqual([off.status, text(await readAll(off.stream, 100))], [405, 'Debug endpoints are disabled.\n']);
  const other = await openLocalStream(node.kubelet, { method: 'PURGE', path, headers }, realClock);
  assert.equal(other.status, 405);
});

test('a hundred sessions at once, each whole', async () => {
  const input = new Uint8Array(100_000).fill(98);
  const path = '/exec/default/web/main?input=1&output=1&error=1&command=cat';
  const all = await Promise.all(Array.from({ length: 100 }, () => runOverSpdy(path, PIPES, input)));
  for (const { outcome, out } of all) assert.deepEqual([outcome, out.length], [{ kind: 'success' }, 100_000]);
});

test('256 MB through exec, with flat memory', { timeout: 120_000 }, async () => {
  const total = 256 * 1024 * 1024;
  const connection = spdyOver(
    await upgrade('/exec/default/web/main?input=1&output=1&command=cat', {
      'x-stream-protocol-version': 'v4.channel.k8s.io',
    }),
  );
  const [stdin, stdinFar] = createDuplexPair();
  const [stdout, stdoutFar] = createDuplexPair();
  async function* sizes(): AsyncGenerator<TerminalSize> {
    // None.
  }
  const running = runCommandOverSpdy(connection, { ...PIPES, stderr: false }, { stdin, stdout, sizes: sizes() });
  const sending = (async () => {
    for (let sent = 0; sent < total; sent += 64 * 1024) await stdinFar.write(new Uint8Array(64 * 1024));
    await stdinFar.end();
  })();
  const peak = await peakOfBuffers(total, async () => (await stdoutFar.read())?.length ?? 0);
  assert.deepEqual(await running, { kind: 'success' });
  await sending;
  await connection.close();
  // What is under way between two ends in one process, each stage with its own bound: together some 16 MB, which do not
  // grow with what passes.
  assert.ok(peak < total / 8, `${peak} bytes were held`);
});

test('a client that leaves takes the command with it; the server closes with sessions open', async () => {
  const { socket } = await webSocket(
    '/exec/default/web/main?input=1&output=1&command=sleep&command=1000',
    'v5.channel.k8s.io',
  );
  socket.terminate();
  const { all } = await webSocket('/exec/default/web/main?input=1&output=1&command=cat', 'v5.channel.k8s.io');
  await scope.close();
  assert.equal((await all).get(1), '');
});
