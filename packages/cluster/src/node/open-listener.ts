import { readFile } from 'node:fs/promises';
import type { ApiServer, RequestHeaderSettings } from '@binnacle/apiserver';
import { listen } from '@binnacle/apiserver/node';
import type { Listener, TlsChoice } from '@binnacle/apiserver/node';
import { hostPort, messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { checkPair } from '@binnacle/certificates/node';
import type { KeyPair } from '@binnacle/certificates/node';
import { cannotListen } from '../errors.ts';
import type { World } from '../world.ts';
import { followFile } from './follow-file.ts';

/** Where a certificate and its key lie. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** What is listened with. */
export interface ListenerChoice {
  readonly server: ApiServer;
  readonly host: string;
  readonly port: number;
  readonly serving: KeyPair;
  readonly clientCa: string;
  /** Front proxies before the server, where there are any. */
  readonly requestHeaders: RequestHeaderSettings | undefined;
  /** Where `serving` came from, where it is to be read anew. */
  readonly servingFiles: CertificateFiles | undefined;
  readonly tls: TlsChoice | undefined;
}

interface ListenerWorld {
  readonly world: World;
  readonly scope: Scope;
}

/** Listens until the scope ends; answers with the port. Throws ClusterError. */
export async function openListener(
  { server, host, port, serving, clientCa, requestHeaders, servingFiles, tls }: ListenerChoice,
  at: ListenerWorld,
): Promise<number> {
  const { certificate: cert, key } = serving;
  const opening = listen({
    ...{ server, host, port, cert, key, clientCa },
    ...(requestHeaders === undefined ? {} : { requestHeaders }),
    ...(tls === undefined ? {} : { tls }),
  });
  const listener = await opening.catch((error: unknown) => {
    throw cannotListen(hostPort(host, port), error);
  });
  at.scope.defer(() => listener.close());
  if (servingFiles !== undefined) followCertificate(servingFiles, listener, at);
  return listener.port;
}

/** A certificate is renewed while the server runs: from the next handshake on it is the new one. */
function followCertificate(
  files: CertificateFiles,
  listener: Pick<Listener, 'useCertificate'>,
  { world, scope }: ListenerWorld,
): void {
  const read = async (): Promise<void> => {
    try {
      const [cert, key] = await Promise.all([readFile(files.certificate, 'utf8'), readFile(files.key, 'utf8')]);
      checkPair({ certificate: cert, key });
      listener.useCertificate({ cert, key });
      world.log.info(0, 'the serving certificate was read anew', { path: files.certificate });
    } catch (error) {
      // Half of a new pair does not fit: the other half tells of itself too.
      world.log.warn('what was served before is served on', { reason: messageOf(error) });
    }
  };
  // Never rejects: see above.
  const onChange = (): void => void read();
  for (const path of new Set(Object.values(files))) followFile(path, scope, { world, onChange });
}
