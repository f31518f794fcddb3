import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';

/** An HTTPS server on a free port of loopback that is known by one name. */
export interface TlsServer {
  readonly port: number;
  /** Who vouches for it: PEM in base64, as webhooks' `caBundle` has it. */
  readonly caBundle: string;
  /** Ends it and whatever is open. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const LIFE_MS = 3_600_000;

/** Starts one, with a certificate of an hour for `hostname`: what the API server calls behind Services. */
export async function startTlsServer(
  hostname: string,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  options: { readonly asksForCertificate?: boolean } = {},
): Promise<TlsServer> {
  const life = { notBefore: Date.now() - LIFE_MS, notAfter: Date.now() + LIFE_MS };
  const authority = makeAuthority('testkit', life);
  const subject = { commonName: hostname, hostnames: [hostname], ips: [] };
  const { certificate, key } = issueCertificate(authority, subject, { ...life, client: false });
  // Whoever shows one is taken at its word: a test looks at it, and lets nobody in by it.
  const asking = { requestCert: options.asksForCertificate === true, rejectUnauthorized: false };
  const server = createServer({ cert: certificate, key, ...asking }, handle);
  // Those within their handshakes are not among the connections that the server itself would close.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
