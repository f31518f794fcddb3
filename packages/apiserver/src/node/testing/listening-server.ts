import { createSeededRandom, silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { makeTestFolder } from '@binnacle/base/testing';
import { ensureCertificates } from '@binnacle/certificates/node';
import type { Certificates, CertificateOptions } from '@binnacle/certificates/node';
import { createMemoryStore } from '@binnacle/store';
import { assemble } from '../../assemble.ts';
import type { Assembly } from '../../assemble.ts';
import type { ApiServerOptions } from '../../options.ts';
import type { UnsentReplies } from '../../pipeline/unsent-replies.ts';
import { startServer } from '../../server.ts';
import type { ApiServer } from '../../server.ts';
import { listen } from '../listener.ts';
import type { Listener, ListenerOptions } from '../listener.ts';

/** A server of a memory store behind a socket of this machine, with an authority of its own. */
export interface ListeningServer {
  readonly server: ApiServer;
  /** The server's parts, for tests of one of them. */
  readonly parts: Assembly;
  readonly listener: Listener;
  readonly certificates: Certificates;
  readonly close: () => Promise<void>;
}

/** What is other than by default. */
export interface ListeningServerOptions {
  readonly server?: Partial<ApiServerOptions>;
  readonly listener?: Partial<Omit<ListenerOptions, 'server'>>;
  /** How much of replies may wait for those who asked. */
  readonly unsent?: UnsentReplies;
  /** Whom the authority makes certificates for. */
  readonly clients?: CertificateOptions['clients'];
}

/** Starts one on any port. */
export async function startListeningServer(given: ListeningServerOptions = {}): Promise<ListeningServer> {
  const folder = makeTestFolder();
  const certificates = await ensureCertificates(folder.path, {
    hostnames: [],
    ips: [],
    clock: realClock,
    ...(given.clients === undefined ? {} : { clients: given.clients }),
  });
  const options = {
    store: createMemoryStore({ clock: realClock }),
    clock: realClock,
    random: createSeededRandom(1),
    log: silentLogger,
    assertions: true,
    ...given.server,
  };
  const parts = assemble(options);
  const server = await startServer(parts, options);
  const { certificate: cert, key } = certificates.serving;
  const place = { host: '127.0.0.1', port: 0, cert, key, clientCa: certificates.ca };
  const replying = given.unsent === undefined ? server.replying : { ...server.replying, unsent: given.unsent };
  const listener = await listen({ server: { ...server, replying }, ...place, ...given.listener });
  return {
    server,
    parts,
    listener,
    certificates,
    async close() {
      await listener.close();
      await server.close();
      folder.remove();
    },
  };
}
