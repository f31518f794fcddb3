import assert from 'node:assert/strict';
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
