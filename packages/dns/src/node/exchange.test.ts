import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { UpstreamError } from '../errors.ts';
import { networkExchange } from './exchange.ts';

// Nobody may send to this address without asking the system first, so that even connecting to it is refused, wherever this
// runs: as a machine without a route to its name server is refused it.
const NO_WAY = { host: '255.255.255.255', port: 53 };

for (const stream of [false, true]) {
  test(`a server that there is no way to is no answer, and ends nothing else: ${stream ? 'stream' : 'datagram'}`, async () => {
    const asked = networkExchange.ask(NO_WAY, new Uint8Array(12), { stream, timeoutMs: 60_000, accepts: () => true });
    await assert.rejects(asked, (error) => error instanceof UpstreamError && !error.message.includes('in time'));
  });
}

test('a server that hangs up on who seems to be gone still answers', async () => {
  // Node's, and others, end a connection with their client's half of it, whatever they have yet to say.
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (question: Buffer) => setImmediate(() => setImmediate(() => socket.end(question))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const question = Uint8Array.from({ length: 12 }, (_, at) => at);
  try {
    const asked = networkExchange.ask(upstream, question, { stream: true, timeoutMs: 60_000, accepts: () => true });
    assert.deepEqual([...(await asked)], [...question]);
  } finally {
    server.close();
  }
});
