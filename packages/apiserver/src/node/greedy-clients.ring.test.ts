/** Clients that ask and do not read, or take back what they asked, over real sockets. */
import { VirtualClock } from '@binnacle/base';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { UnsentReplies } from '../pipeline/unsent-replies.ts';
import { startListeningServer } from './testing/listening-server.ts';
import type { ListeningServer } from './testing/listening-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEADLINE_MS = 30_000;
const unsent = new UnsentReplies({ userBytesMax: 1_000_000, totalBytesMax: 2_000_000 });
let listener: ListeningServer['listener'];
let certificates: ListeningServer['certificates'];
let started: ListeningServer;

before(async () => {
  started = await startListeningServer({ unsent, listener: { clock: new VirtualClock() } });
  ({ listener, certificates } = started);
});

after(() => started.close());

function session(settings: { readonly initialWindowSize?: number } = {}): ClientHttp2Session {
  const client = connect(`https://127.0.0.1:${listener.port}`, { ca: certificates.ca, settings });
  client.on('error', () => client.destroy());
  return client;
}

function ask(client: ClientHttp2Session, path: string, headers: { readonly accept?: string } = {}): ClientHttp2Stream {
  const stream = client.request({ ':path': path, ...headers });
  stream.on('error', () => stream.destroy());
  return stream;
}

async function statusOf(stream: ClientHttp2Stream): Promise<number> {
  const [headers] = (await once(stream, 'response')) as [{ ':status'?: number }];
  return headers[':status'] ?? 0;
}

async function untilHeld(bytes: number): Promise<void> {
  while (unsent.bytes !== bytes) await new Promise((resolve) => setImmediate(resolve));
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const FORMS: readonly [form: string, query: string, accept: string][] = [
  ['whole', '?pretty=true', 'application/json'],
  ['as YAML', '', 'application/yaml'],
  ['as a Table', '?includeObject=Object', TABLE],
  ['in pieces', '', 'application/json'],
];

test('replies that nobody reads are bounded, whatever their form', { timeout: DEADLINE_MS }, async () => {
  const writing = session();
  for (let i = 0; i < 4; i++) {
    const stream = writing.request({ ':method': 'POST', ':path': MAPS, 'content-type': 'application/json' });
    stream.end(JSON.stringify({ metadata: { name: `m${i}` }, data: { k: 'x'.repeat(100_000) } }));
    assert.equal(await statusOf(stream), 201);
    stream.resume();
  }
  for (const [form, query, accept] of FORMS) {
    const client = session({ initialWindowSize: 0 });
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) statuses.push(await statusOf(ask(client, `${MAPS}${query}`, { accept })));
    assert.deepEqual([statuses.at(0), statuses.at(-1)], [200, 429], form);
    assert.ok(unsent.bytes > 100_000 && unsent.bytes <= 1_000_000, form);
    // Others, and what is small, are served.
    assert.equal(await statusOf(ask(client, `${MAPS}/none`)), 404, form);
    client.destroy();
    await untilHeld(0);
  }
  writing.destroy();
});

test('what is read is not counted', { timeout: DEADLINE_MS }, async () => {
  const client = session();
  for (let i = 0; i < 10; i++) {
    const stream = ask(client, `${MAPS}?pretty=true`);
    assert.equal(await statusOf(stream), 200);
    stream.resume();
    await once(stream, 'end');
  }
  await untilHeld(0);
  client.destroy();
});

/** A frame of HTTP/2. */
function frame(head: { readonly type: number; readonly flags: number; readonly stream: number }, payload: number[]) {
  const { type, flags, stream } = head;
  const bytes = Buffer.from([0, payload.length >> 8, payload.length & 255, type, flags, 0, 0, 0, 0, ...payload]);
  bytes.writeUInt32BE(stream, 5);
  return bytes;
}

const [HEADERS, RST_STREAM, SETTINGS, END_HEADERS] = [1, 3, 4, 4];
/** POST, https and a path, as HPACK writes them. */
const POST = [0x83, 0x87, 0x04, MAPS.length, ...Buffer.from(MAPS)];
const CANCEL = [0, 0, 0, constants.NGHTTP2_CANCEL];

test('who takes requests back without end loses the connection', { timeout: DEADLINE_MS }, async () => {
  const address = { host: '127.0.0.1', port: listener.port, ca: certificates.ca, ALPNProtocols: ['h2'] };
  const socket = connectTls(address);
  await once(socket, 'secureConnect');
  // Written to until the server has hung up, which may break the pipe.
  socket.on('error', () => undefined);
  const gone = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(frame({ type: SETTINGS, flags: 0, stream: 0 }, []));
  for (let stream = 1; stream < 2 * 1200; stream += 2) {
    socket.write(frame({ type: HEADERS, flags: END_HEADERS, stream }, POST));
    socket.write(frame({ type: RST_STREAM, flags: 0, stream }, CANCEL));
  }
  await gone;
});
