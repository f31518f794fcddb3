/** Who stands behind the socket of a key service and is none, or hangs: each call ends in its time, and says why. */
import assert from 'node:assert/strict';
import { createServer as createHttp2 } from 'node:http2';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { describe as describeService, serveSocket } from '@binnacle/grpc';
import { openKeyService } from './key-service.ts';

const TIMEOUT_MS = 300;
/** The calls' own time, and a slow machine's. */
const DEADLINE_MS = 20_000;
const folder = makeTestFolder();
after(() => folder.remove());
let sockets = 0;

interface Liar {
  readonly endpoint: string;
  close(): Promise<void>;
}

async function serving(server: Server): Promise<Liar> {
  const path = join(folder.path, `kms${sockets++}.sock`);
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((done) => server.listen(path, done));
  return {
    endpoint: `unix://${path}`,
    close: () =>
      new Promise((done) => {
        for (const socket of open) socket.destroy();
        server.close(() => done());
      }),
  };
}

const raw = (connected: (socket: Socket) => void): Promise<Liar> => serving(createServer(connected));

async function plugin(answer: (request: object) => object): Promise<Liar> {
  const path = join(folder.path, `kms${sockets++}.sock`);
  const unary = (request: unknown): Promise<object> => Promise.resolve(answer(request as object));
  const server = await serveSocket({
    path,
    descriptors: [await describeService('keyService')],
    services: { 'v2.KeyManagementService': { Status: { unary }, Encrypt: { unary }, Decrypt: { unary } } },
  });
  return { endpoint: `unix://${path}`, close: () => server.close() };
}

const LARGE = new Uint8Array(2 << 20);
const LIARS: readonly [name: string, start: () => Promise<Liar>][] = [
  [
    'is not there',
    () => Promise.resolve({ endpoint: `unix://${folder.path}/none.sock`, close: () => Promise.resolve() }),
  ],
  ['says nothing', () => raw(() => undefined)],
  ['hangs up', () => raw((socket) => socket.destroy())],
  ['hangs up when it is asked', () => raw((socket) => socket.once('data', () => socket.destroy()))],
  ['speaks HTTP/1.1', () => raw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))],
  ['writes without end', () => raw((socket) => flood(socket))],
  ['answers every call with a page', () => serving(pages() as unknown as Server)],
  ['takes calls and answers none', () => serving(createHttp2(() => undefined) as unknown as Server)],
  [
    'answers with megabytes',
    () => plugin(() => ({ ciphertext: LARGE, plaintext: LARGE, healthz: 'x'.repeat(2 << 20) })),
  ],
];

function flood(socket: Socket): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(LARGE));
  };
  socket.on('drain', more);
  more();
}

function pages(): ReturnType<typeof createHttp2> {
  return createHttp2((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>');
  });
}

describe('a key service that', () => {
  for (const [name, start] of LIARS) {
    it(`${name} fails each call in its time`, { timeout: DEADLINE_MS }, async () => {
      const liar = await start();
      const service = openKeyService({ name: 'test', endpoint: liar.endpoint, timeoutMs: TIMEOUT_MS });
      const calls = [
        () => service.status(),
        () => service.encrypt('1', Uint8Array.of(1)),
        () => service.decrypt('1', { ciphertext: Uint8Array.of(1), keyId: 'k', annotations: new Map() }),
      ];
      for (const call of calls) await assert.rejects(call, Error);
      service.close();
      await liar.close();
    });
  }
});
