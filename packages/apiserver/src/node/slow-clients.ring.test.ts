/** Clients that promise a body and send none, over real sockets (HTTP/1.1 and HTTP/2). */
import { VirtualClock } from '@binnacle/base';
import type { Certificates } from '@binnacle/certificates/node';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import type { BodyLedger } from '../pipeline/flow-control/body-ledger.ts';
import type { Listener } from './listener.ts';
import { startListeningServer } from './testing/listening-server.ts';
import type { ListeningServer } from './testing/listening-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const clock = new VirtualClock();
let bodies: BodyLedger;
let listener: Listener;
let listening: ListeningServer;
let certificates: Certificates;

before(async () => {
  listening = await startListeningServer({ listener: { clock } });
  ({ listener, certificates } = listening);
  ({ bodies } = listening.parts.flow);
});

after(() => listening.close());

function session(): ClientHttp2Session {
  return connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: certificates.ca });
}

function post(over: ClientHttp2Session, body?: string): ClientHttp2Stream {
  const stream = over.request({
    ':method': 'POST',
    ':path': MAPS,
    'content-type': 'application/json',
    'content-length': String(body?.length ?? 100),
  });
  if (body !== undefined) stream.end(body);
  return stream;
}

async function statusOf(stream: ClientHttp2Stream): Promise<number> {
  const [headers] = (await once(stream, 'response')) as [{ ':status'?: number }];
  stream.resume();
  return headers[':status'] ?? 0;
}

function http1Post(): TLSSocket {
  const socket = connectTls({
    host: '127.0.0.1',
    port: listener.port,
    ca: certificates.ca,
    ALPNProtocols: ['http/1.1'],
  });
  socket.write(`POST ${MAPS} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
  return socket;
}

/** Resolves when the server has taken so many bytes of bodies that are not whole yet. */
async function untilHeld(bytes: number): Promise<void> {
  while (bodies.bytes < bytes) await new Promise((resolve) => setImmediate(resolve));
}

test('writes of others go on beside 400 bodies that do not come; those end with 504, and their streams too', async () => {
  const slow = Array.from({ length: 4 }, session);
  const quick = session();
  // As many as a connection may have.
  const silent = slow.flatMap((over) => Array.from({ length: 100 }, () => post(over)));
  const answers = silent.map(statusOf);
  const closed = Promise.all(silent.map((stream) => once(stream, 'close')));
  const stuck = http1Post();
  const said = once(stuck, 'data');
  const gone = once(stuck, 'close');
  assert.equal(await statusOf(post(quick, JSON.stringify({ metadata: { name: 'a' } }))), 201);
  await untilHeld(1);
  await clock.advance(66_000);
  assert.deepEqual(new Set(await Promise.all(answers)), new Set([504]));
  await closed;
  assert.match(String((await said)[0]), /^HTTP\/1\.1 504 /);
  stuck.resume();
  await gone;
  assert.ok(silent.every((stream) => stream.rstCode === constants.NGHTTP2_NO_ERROR));
  await clock.advance(10_000);
  assert.equal(clock.pending, 0, 'no timer is left behind');
  for (const each of [...slow, quick]) {
    each.close();
    await once(each, 'close');
  }
});

test('a body above the bound is answered before it is read, and its stream ends', async () => {
  const over = session();
  const stream = over.request({ ':method': 'POST', ':path': MAPS, 'content-length': String(10 << 20) });
  stream.on('error', () => stream.destroy());
  assert.equal(await statusOf(stream), 413);
  stream.write(Buffer.alloc(1 << 20));
  await once(stream, 'close');
  over.close();
  await once(over, 'close');
});
