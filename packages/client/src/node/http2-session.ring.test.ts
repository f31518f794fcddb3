import { equal } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { ServerHttp2Session } from 'node:http2';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { Http2Session } from './http2-session.ts';

test(
  'a connection is asked whether it still lives whenever it is silent, as often as it is',
  { timeout: 20_000 },
  async () => {
    const server = createServer();
    const sessions = once(server, 'session') as Promise<[ServerHttp2Session]>;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    let unusable = 0;
    // What TLS would add is nothing to it.
    const client = new Http2Session(`http://127.0.0.1:${port}`, socket as TLSSocket, {
      onUnusable: () => unusable++,
      idlePingMs: 20,
    });
    const [session] = await sessions;
    await once(session, 'ping');
    await once(session, 'ping');
    // Something moves in between: a further silence is another one.
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200 });
      stream.end();
    });
    await new Promise<void>((end, fail) => {
      const headers = {};
      client.send({ method: 'GET', path: '/', headers, body: undefined }, { head() {}, data() {}, end, fail });
    });
    await once(session, 'ping');
    await once(session, 'ping');
    equal(unusable, 0);
    await client.close();
    server.close();
    await once(server, 'close');
  },
);
