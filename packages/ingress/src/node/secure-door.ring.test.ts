/** The door of TLS with real sockets: whose certificate clients see, and HTTP/2. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectH2, constants } from 'node:http2';
import { after, afterEach, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { SecureVersion } from 'node:tls';
import { readRequest } from '@binnacle/certificates';
import { makeRequest, signRequest } from '@binnacle/certificates/node';
import type { CertificatePair } from '../ports.ts';
import { authority, DoorsBench, LIFE, serving, textOf } from './testing/doors-bench.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A certificate for a key of any sort. */
function withKey(
  name: string,
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
): CertificatePair {
  const asked = readRequest(makeRequest({ commonName: name, hostnames: [name] }).request);
  const own = { ...asked, publicKey: publicKey.export({ type: 'spki', format: 'der' }) };
  const certificate = signRequest(authority, own, { ...LIFE, usages: ['digitalSignature'], extendedUsages: [] });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { id: name, certificate: base64(certificate), key: base64(key) };
}

/** Secrets whose keys are of the fallback's sort, and of others, as most certificates of users are. */
const SHOP = withKey('shop.example', generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const OTHER_SORTS: readonly (readonly [name: string, pair: CertificatePair])[] = [
  ['rsa.example', withKey('rsa.example', generateKeyPairSync('rsa', { modulusLength: 2048 }))],
  ['ed25519.example', withKey('ed25519.example', generateKeyPairSync('ed25519'))],
];

const bench = new DoorsBench(new Map([['shop.example', SHOP] as const, ...OTHER_SORTS]));
before(() => bench.open());
afterEach(() => bench.clear());
after(() => bench.close());

async function subjectOf(servername: string, maxVersion: SecureVersion = 'TLSv1.3'): Promise<string> {
  const to = { port: bench.https, host: '127.0.0.1', servername, maxVersion, rejectUnauthorized: false };
  const socket = connectTls(to);
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

test('the certificate is that of the name', async () => {
  assert.equal(await subjectOf('shop.example'), 'shop.example');
  assert.equal(await subjectOf('other.example'), 'fallback.example');
});

for (const [name] of OTHER_SORTS) {
  test(`the certificate is that of the name, whatever sort its key is of: ${name}`, async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) assert.equal(await subjectOf(name, version), name);
  });
}

test('HTTP/2 in, HTTP/1.1 on: bodies, cookies, many at once, a cut', async () => {
  let connections = 0;
  const echo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/cut') {
      response.writeHead(200);
      response.write('half');
      setImmediate(() => response.destroy());
      return;
    }
    response.setHeader('connection', 'keep-alive');
    response.end(`${request.headers.host} ${request.headers.cookie} ${await textOf(request)}`);
  };
  const server = createServer(serving(echo));
  server.on('connection', () => connections++);
  bench.leadTo(await bench.listening(server));
  const session = connectH2(`https://127.0.0.1:${bench.https}`, {
    rejectUnauthorized: false,
    servername: 'shop.example',
  });
  const ask = async (path: string, body?: string): Promise<string> => {
    const stream = session.request({
      ...{ ':path': path, ':authority': 'shop.example', cookie: ['a=1', 'b=2'] },
      ':method': body === undefined ? 'GET' : 'POST',
    });
    stream.end(body);
    return textOf(stream);
  };
  assert.equal(await ask('/', 'sent'), 'shop.example a=1; b=2 sent');
  assert.equal(await ask('/'), 'shop.example a=1; b=2 ');
  const many = await Promise.all(Array.from({ length: 100 }, (_, at) => ask('/', `n${at}`)));
  assert.ok(many.every((text, at) => text.endsWith(` n${at}`)));
  const before = connections;
  await ask('/', 'again');
  assert.equal(connections, before, 'a kept connection serves HTTP/2 as well');
  await assert.rejects(ask('/cut'));
  session.close();
  await once(session, 'close');
});

test('a body over HTTP/2 goes on before anybody has taken its beginning, and no further than that', async () => {
  const held = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    // Nobody reads it yet.
    void held.promise.then(() => request.resume().once('end', () => response.end('all')));
  });
  bench.leadTo(await bench.listening(server));
  const session = connectH2(`https://127.0.0.1:${bench.https}`, { rejectUnauthorized: false });
  await once(session, 'remoteSettings');
  const { initialWindowSize = 0 } = session.remoteSettings;
  // A client a twentieth of a second away sends so much in each twentieth of a second.
  assert.equal(initialWindowSize, 256 * 1024);
  const stream = session.request({ ':path': '/', ':method': 'PUT' });
  stream.end(Buffer.alloc(16 * 1024 * 1024));
  held.resolve();
  assert.equal(await textOf(stream), 'all');
  session.close();
  await once(session, 'close');
});

test('who takes a request back over HTTP/2 takes it from its backend, before and after the reply has begun', async () => {
  const hear = (): PromiseWithResolvers<void> => Promise.withResolvers();
  let [begun, gone] = [hear(), hear()];
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url === '/begun') response.write('half');
    response.once('close', () => gone.resolve());
    begun.resolve();
  };
  bench.leadTo(await bench.backend(serve));
  const session = connectH2(`https://127.0.0.1:${bench.https}`, { rejectUnauthorized: false });
  for (const [path, method] of [
    ['/', 'GET'],
    ['/', 'POST'],
    ['/begun', 'GET'],
  ] as const) {
    [begun, gone] = [hear(), hear()];
    const stream = session.request({ ':path': path, ':method': method });
    stream.on('error', () => undefined);
    await begun.promise;
    if (path === '/begun') await once(stream, 'response');
    stream.close(constants.NGHTTP2_CANCEL);
    await gone.promise;
  }
  session.close();
  await once(session, 'close');
});
