import assert from 'node:assert/strict';
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { decodeAnswer, encodeRequest, probeGrpc } from './grpc-probe.ts';

const asked: string[] = [];
const timeouts: string[] = [];
const open = new Set<Socket>();

/** A health server: `up` serves, `down` does not, `slow` never answers, `flood` says too much, others are unknown. */
function answer(stream: ServerHttp2Stream, service: string): void {
  if (service === 'slow') return;
  if (service === 'other') return stream.respond({ ':status': 404 }, { endStream: true });
  if (service === 'absent')
    return stream.respond(
      { ':status': 200, 'grpc-status': 5, 'grpc-message': 'unknown%20service' },
      { endStream: true },
    );
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.on('error', () => undefined);
  if (service === 'flood') stream.end(Buffer.alloc(1 << 20, 1));
  else stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, service === 'down' ? 2 : 1]));
}

const health = createHttp2();
health.on('stream', (stream, headers) => {
  asked.push(String(headers[':path']));
  timeouts.push(String(headers['grpc-timeout']));
  stream.once('data', (bytes: Buffer) => answer(stream, bytes.subarray(7).toString()));
});
const later = createHttp2();
later.on('stream', (stream) => stream.once('data', () => answer(stream, 'up')));
const mute: Server = createServer(() => undefined);
for (const server of [health, mute]) {
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  });
}
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

before(() =>
  Promise.all(
    [health, mute].map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))),
  ),
);
// Ends only when no connection is left: what a probe forgot would be seen here.
after(() => Promise.all([health, mute].map((server) => new Promise((resolve) => server.close(resolve)))));

const probe = (service: string, of: { port?: number; timeoutMs?: number } = {}): Promise<string | undefined> =>
  probeGrpc({ host: '127.0.0.1', port: portOf(health), service, timeoutMs: 5_000, ...of });

test('a server that serves is well, as a whole and by service', async () => {
  assert.equal(await probe('up'), undefined);
  assert.deepEqual(asked, ['/grpc.health.v1.Health/Check']);
});

// Node's timers ring at once for it, and gRPC takes eight digits.
test('a timeout of more than 24 days is no short one', async () => {
  assert.equal(await probe('up', { timeoutMs: 2_147_483_647_000 }), undefined);
  assert.equal(timeouts.at(-1), '35791395M');
  assert.equal(await probe('up', { timeoutMs: 1 << 30 }), undefined);
  assert.equal(timeouts.at(-1), '1073742S');
  assert.equal(await probe('up', { timeoutMs: 1_000 }), undefined);
  assert.equal(timeouts.at(-1), '1000m');
});

test('what a server says against itself', async () => {
  assert.equal(await probe('down'), 'service unhealthy (responded with "NOT_SERVING")');
  assert.equal(await probe('absent'), 'error: health rpc probe failed: unknown service');
  assert.match((await probe('other')) ?? '', /^error: this server does not implement the grpc health protocol/);
  assert.match((await probe('flood')) ?? '', /^error: health rpc probe failed: /);
});

test('who does not answer in time or does not listen', { timeout: 10_000 }, async () => {
  assert.equal(await probe('slow', { timeoutMs: 300 }), 'timeout: health rpc did not complete within 0.3s');
  assert.equal(
    await probe('', { port: portOf(mute), timeoutMs: 300 }),
    `timeout: failed to connect service "127.0.0.1:${portOf(mute)}" within 0.3s: context deadline exceeded`,
  );
  assert.equal(
    await probe('', { port: 1, timeoutMs: 1000 }),
    'timeout: failed to connect service "127.0.0.1:1" within 1s: context deadline exceeded',
  );
});

test('who begins to listen while it is asked is found', { timeout: 10_000 }, async () => {
  const listen = (port: number): Promise<void> => new Promise((resolve) => later.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const port = portOf(later);
  await new Promise((resolve) => later.close(resolve));
  const [found] = await Promise.all([probe('up', { port }), new Promise(setImmediate).then(() => listen(port))]);
  await new Promise((resolve) => later.close(resolve));
  assert.equal(found, undefined);
});

test('messages', () => {
  assert.deepEqual(encodeRequest(''), Buffer.alloc(0));
  assert.deepEqual(encodeRequest('x'.repeat(200)).subarray(0, 3), Buffer.from([0x0a, 0xc8, 0x01]));
  assert.deepEqual([decodeAnswer(Buffer.from([0x08, 3])), decodeAnswer(Buffer.alloc(0))], [3, 0]);
});
