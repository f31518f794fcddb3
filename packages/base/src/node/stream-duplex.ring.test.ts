import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2, createSecureServer } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { StreamCutError } from '../duplex.ts';
import { duplexSuite } from '../testing/duplex-suite.ts';
import type { DuplexBench } from '../testing/duplex-suite.ts';
import { makeTestCertificate } from '../testing/certificate.ts';
import { duplexOf } from './stream-duplex.ts';

const HOST = '127.0.0.1';
const identity = makeTestCertificate([`IP:${HOST}`]);

async function listening(server: Server): Promise<number> {
  server.listen(0, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function pairOver(server: Server, event: string, dial: (port: number) => Socket): Promise<DuplexBench> {
  const port = await listening(server);
  const accepted = once(server, event) as Promise<[Socket]>;
  const near = dial(port);
  const [far] = await accepted;
  return {
    near: duplexOf(near),
    far: duplexOf(far),
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

duplexSuite('TCP socket', () => pairOver(createTcpServer(), 'connection', (port) => connectTcp(port, HOST)));

// A TLS connection that is dropped looks to Node like one that was closed.
duplexSuite(
  'TLS socket',
  () =>
    pairOver(createTlsServer(identity), 'secureConnection', (port) =>
      connectTls({ port, host: HOST, ca: identity.cert }),
    ),
  { abortLooksLikeEnd: true },
);

duplexSuite('HTTP/2 stream', async () => {
  const server = createSecureServer(identity);
  const port = await listening(server);
  const session = connectHttp2(`https://${HOST}:${port}`, { ca: identity.cert });
  const accepted = once(server, 'stream') as Promise<[ServerHttp2Stream]>;
  const request = session.request({ ':method': 'POST' }, { endStream: false });
  const [far] = await accepted;
  far.respond({ ':status': 200 });
  await once(request, 'response');
  return {
    near: duplexOf(request),
    far: duplexOf(far),
    close: async () => {
      session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
});

test('what came before the other side dropped a TCP socket is still read', async () => {
  const server = createTcpServer();
  const port = await listening(server);
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connectTcp(port, HOST);
  const duplex = duplexOf(socket);
  const [far] = await accepted;
  const arrived = once(socket, 'data');
  far.write('last words');
  await arrived;
  far.resetAndDestroy();
  assert.ok((await duplex.closed) instanceof StreamCutError);
  assert.equal(new TextDecoder().decode(await duplex.read()), 'last words');
  await assert.rejects(duplex.read(), StreamCutError);
  server.close();
  await once(server, 'close');
});
