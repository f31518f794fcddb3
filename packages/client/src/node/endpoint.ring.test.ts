import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createServer } from 'node:tls';
import { makeTestCertificate } from '@binnacle/base/testing';
import { openTls } from './endpoint.ts';

test('a server is believed by alternative names alone, whatever its subject is called', async (t) => {
  for (const names of [[], ['IP:127.0.0.9']]) {
    const { cert, key } = makeTestCertificate(names, '/CN=api.test');
    const server = createServer({ cert, key }, (socket) => socket.on('error', () => undefined).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const opening = openTls({ server: url, ca: cert, tlsServerName: 'api.test' }).then((socket) => socket.destroy());
    await assert.rejects(opening, /alternative names|altnames/);
  }
});
