/** Watches over WebSocket, as browsers and some clients ask for them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import type { Certificates } from '@binnacle/certificates/node';
import { WebSocket } from 'ws';
import type { Watchers } from '../cache/watcher.ts';
import { createOpenPolicy } from '../policy-open.ts';
import type { Credentials } from '../ports/authentication.ts';
import type { ApiServer } from '../server.ts';
import { LOOPBACK_USER } from '../own-calls.ts';
import type { Listener } from './listener.ts';
import { startListeningServer } from './testing/listening-server.ts';
import type { ListeningServer } from './testing/listening-server.ts';

const WATCH = '/api/v1/namespaces/default/configmaps?watch=1';
const seen: Credentials[] = [];
let certificates: Certificates;
let server: ApiServer;
let watchers: Watchers;
let listener: Listener;
let listening: ListeningServer;

before(async () => {
  const policy = () => ({
    ...createOpenPolicy(),
    authenticate(credentials: Credentials) {
      seen.push(credentials);
      return { name: 'somebody', groups: [] };
    },
  });
  listening = await startListeningServer({ server: { policy } });
  ({ server, listener, certificates } = listening);
  ({ watchers } = listening.parts.foundation);
});

after(() => listening.close());

function open(path: string, protocols: readonly string[] = [], headers: object = {}): WebSocket {
  const { port } = listener;
  return new WebSocket(`wss://127.0.0.1:${port}${path}`, [...protocols], {
    ca: certificates.ca,
    headers: { ...headers },
  });
}

function write(name: string): Promise<unknown> {
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
  const body = { metadata: { name } };
  return server.clientAs(LOOPBACK_USER).call({ verb: 'create', resource, namespace: 'default', body });
}

async function next(socket: WebSocket): Promise<{ readonly data: Buffer; readonly isBinary: boolean }> {
  const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
  return { data, isBinary };
}

test('events are text, one a message, and the end of the watch is a goodbye', async () => {
  const socket = open(`${WATCH}&timeoutSeconds=2`);
  await once(socket, 'open');
  const coming = next(socket);
  await write('one');
  const { data, isBinary } = await coming;
  const event = JSON.parse(data.toString()) as { type: string; object: { metadata: { name: string } } };
  assert.deepEqual([isBinary, event.type, event.object.metadata.name], [false, 'ADDED', 'one']);
  const [code] = (await once(socket, 'close')) as [number];
  assert.equal(code, 1000);
  assert.equal(watchers.count, 0);
});

test('protobuf is bytes, without a length before it', async () => {
  const accept = 'application/vnd.kubernetes.protobuf;stream=watch,application/vnd.kubernetes.protobuf';
  const socket = open(WATCH, [], { accept });
  const { data, isBinary } = await next(socket);
  // The first field of a watch event is its type: tag 1, five letters.
  assert.deepEqual([isBinary, data.subarray(0, 7).toString()], [true, '\n\u0005ADDED']);
  socket.terminate();
});

test('one protocol is spoken, whatever it is called; of several none', async () => {
  const socket = open(WATCH, ['any.example.com']);
  await once(socket, 'open');
  assert.equal(socket.protocol, 'any.example.com');
  const gone = once(socket, 'close');
  socket.close();
  await gone;
  const refused = open(WATCH, ['a', 'b']);
  refused.on('error', () => undefined);
  const [, response] = (await once(refused, 'unexpected-response')) as [unknown, { statusCode: number }];
  assert.equal(response.statusCode, 400);
  refused.terminate();
});

test("a browser's token comes as a protocol, and is no protocol", async () => {
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('tök').toString('base64url')}`;
  const socket = open(WATCH, [token, 'any.example.com']);
  await once(socket, 'open');
  assert.equal(socket.protocol, 'any.example.com');
  assert.equal(seen.at(-1)?.bearerToken, 'tök');
  const gone = once(socket, 'close');
  socket.close();
  await gone;
});

test('a watch that is refused is an answer in HTTP', async () => {
  const socket = open(`${WATCH}&resourceVersion=bad`);
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  assert.equal(response.statusCode, 500);
  socket.terminate();
});
