/** Logs over WebSocket, through a listener over real sockets. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Certificates } from '@binnacle/certificates/node';
import { LOOPBACK_USER } from '../own-calls.ts';
import type { ApiServer } from '../server.ts';
import type { Listener } from './listener.ts';
import { startListeningServer } from './testing/listening-server.ts';
import type { ListeningServer } from './testing/listening-server.ts';

let certificates: Certificates;
let server: ApiServer;
let listener: Listener;
let listening: ListeningServer;
let source: (signal: AbortSignal) => AsyncIterable<Uint8Array>;

function unasked(): Promise<never> {
  return Promise.reject(new RangeError('only logs are asked for'));
}

before(async () => {
  const nodes = {
    get: async ({ signal }: { signal: AbortSignal }) => ({ status: 200, body: source(signal) }),
    open: unasked,
    forward: unasked,
    connectPod: () => undefined,
  };
  listening = await startListeningServer({ server: { nodes } });
  ({ server, listener, certificates } = listening);
  const wire = server.clientAs(LOOPBACK_USER);
  const create = (resource: string, body: object, namespace = ''): Promise<unknown> =>
    wire.call({ verb: 'create', resource: { group: '', version: 'v1', resource }, namespace, body });
  const status = { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] };
  await create('nodes', { metadata: { name: 'n' }, status });
  await create(
    'pods',
    { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } },
    'default',
  );
});

after(() => listening.close());

interface Heard {
  readonly messages: readonly { readonly data: Buffer; readonly binary: boolean }[];
  readonly code: number;
  readonly protocol: string;
}

function openLog(protocols: string[]): WebSocket {
  const url = `wss://127.0.0.1:${listener.port}/api/v1/namespaces/default/pods/p/log`;
  return new WebSocket(url, protocols, { ca: certificates.ca });
}

function hear(socket: WebSocket): Promise<Heard> {
  const messages: { data: Buffer; binary: boolean }[] = [];
  return new Promise((resolve, reject) => {
    socket.on('message', (data: Buffer, binary: boolean) => messages.push({ data, binary }));
    socket.once('error', reject);
    socket.once('close', (code) => resolve({ messages, code, protocol: socket.protocol }));
  });
}

const TEXT = new TextEncoder().encode(`${'line\n'.repeat(40_000)}ä`);

async function* whole(): AsyncGenerator<Uint8Array> {
  yield TEXT;
}

for (const protocol of ['', 'binary.k8s.io', 'base64.binary.k8s.io']) {
  test(`a log in messages: ${protocol || 'no protocol'}`, async () => {
    source = whole;
    const heard = await hear(openLog(protocol === '' ? [] : ['unheard.of', protocol]));
    const encoded = protocol.startsWith('base64');
    const parts = heard.messages.map(({ data }) => (encoded ? Buffer.from(data.toString(), 'base64') : data));
    assert.deepEqual([heard.protocol, heard.code, parts[0]?.length], [protocol, 1000, 0]);
    assert.ok(heard.messages.slice(1).every(({ binary }) => binary === !encoded));
    assert.ok(Buffer.concat(parts).equals(TEXT));
  });
}

test('protocols of which none is spoken are refused before the connection changes', async () => {
  source = whole;
  await assert.rejects(hear(openLog(['channel.k8s.io'])), /Unexpected server response: 403/);
});

test('a client that leaves ends the log at its source', async () => {
  const ended = new Promise<void>((resolve) => {
    source = async function* follow(signal) {
      yield TEXT.subarray(0, 5);
      await new Promise<void>((over) => signal.addEventListener('abort', () => over(), { once: true }));
      resolve();
    };
  });
  const socket = openLog(['binary.k8s.io']);
  socket.on('message', (data: Buffer) => {
    if (data.length > 0) socket.terminate();
  });
  await ended;
});
