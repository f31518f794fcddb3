import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeTestCertificate } from '@binnacle/base/testing';
import { connectNodes } from './node-connector.ts';

test('the log of a kubelet is read where its certificate has its name among the alternative ones', async (t) => {
  for (const [names, isBelieved] of [
    [[], false],
    [['IP:127.0.0.9'], false],
    [['DNS:localhost'], true],
  ] as const) {
    const { cert, key } = makeTestCertificate(names, '/CN=localhost');
    const server = createServer({ cert, key }, (_request, response) => response.end('a line'));
    server.listen(0, 'localhost');
    await once(server, 'listening');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const reading = connectNodes({ cert, key, kubeletCa: cert }).get({
      nodeName: 'node',
      host: 'localhost',
      port,
      path: '/containerLogs/default/web/web',
      insecure: false,
      signal: new AbortController().signal,
    });
    if (isBelieved) assert.equal((await reading).status, 200);
    else await assert.rejects(reading, /alternative names|altnames/);
  }
});
