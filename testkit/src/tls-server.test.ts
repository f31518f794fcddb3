import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import { startTlsServer } from './tls-server.ts';
import type { TlsServer } from './tls-server.ts';

const NAME = 'hook.default.svc';
const caOf = (server: TlsServer): string => Buffer.from(server.caBundle, 'base64').toString();

async function open(server: TlsServer, wish: { servername?: string; ca?: string; cert?: string; key?: string } = {}) {
  const socket = connect({ port: server.port, host: '127.0.0.1', servername: NAME, ca: caOf(server), ...wish });
  await once(socket, 'secureConnect');
  return socket;
}

async function answer(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.write(`GET /x HTTP/1.1\r\nhost: ${NAME}\r\nconnection: close\r\n\r\n`);
  await once(socket, 'close');
  return text;
}

test('a server is known by its name, to whoever has its bundle, and by nothing else', async () => {
  const server = await startTlsServer(NAME, (request, response) => void response.end(`you asked ${request.url}`));
  const stranger = await startTlsServer(NAME, (_, response) => void response.end());
  try {
    assert.match(await answer(await open(server)), /^HTTP\/1\.1 200 [^]*you asked \/x/);
    await assert.rejects(open(server, { servername: 'other.default.svc' }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await assert.rejects(open(server, { ca: caOf(stranger) }), /certificate/);
  } finally {
    await Promise.all([server.stop(), stranger.stop()]);
  }
});

test('it sees the certificate of whoever shows one, if it asks, and turns nobody away', async () => {
  const life = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 60_000 };
  const subject = { commonName: 'somebody', hostnames: [], ips: [] };
  const own = issueCertificate(makeAuthority('another', life), subject, { ...life, client: true });
  const shown: (string | undefined)[] = [];
  for (const asksForCertificate of [true, false]) {
    const server = await startTlsServer(
      NAME,
      (request, response) => {
        const { subject: found } = (request.socket as TLSSocket).getPeerCertificate();
        shown.push((found as { CN?: string } | undefined)?.CN);
        response.end();
      },
      { asksForCertificate },
    );
    await answer(await open(server, { cert: own.certificate, key: own.key }));
    await answer(await open(server));
    await server.stop();
  }
  assert.deepEqual(shown, ['somebody', undefined, undefined, undefined]);
});

test('it ends although a request is not answered and somebody stays connected', async () => {
  const server = await startTlsServer(NAME, () => undefined);
  const sockets = [await open(server), await open(server)];
  // However it is cut off.
  const closed = sockets.map(
    (socket) => new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve)),
  );
  sockets[0]?.write(`GET / HTTP/1.1\r\nhost: ${NAME}\r\n\r\n`);
  await Promise.all([server.stop(), ...closed]);
});
