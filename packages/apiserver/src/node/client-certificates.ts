import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@binnacle/base';
import { clientSubject } from '@binnacle/base/node';
import { isVouchedFor, readAuthorities } from '@binnacle/certificates/node';
import type { RequestHeaderSettings } from '../ports/authentication-settings.ts';
import type { ShownCredentials } from './connection-credentials.ts';

/** Of the subject's part that says a user's uid (Kubernetes' own, behind the gate AllowParsingUserUIDFromCertAuth). */
const UID_TYPE = '1.3.6.1.4.1.57683.2';

/** Whose client certificates are believed, as what. PEM. */
interface Authorities {
  readonly clientCa: string;
  readonly requestHeaders?: RequestHeaderSettings;
}

/**
 * What the client certificate of a connection says. TLS knows one list of authorities; where front proxies have one of
 * their own, each certificate is held against both: a proxy's is no user's, and a user's is no proxy's.
 */
export class ClientCertificates {
  readonly #ofUsers: readonly X509Certificate[];
  readonly #ofProxies: readonly X509Certificate[] | undefined;
  readonly #clock: Pick<Clock, 'now'>;

  constructor({ clientCa, requestHeaders }: Authorities, clock: Pick<Clock, 'now'>) {
    this.#ofProxies = requestHeaders === undefined ? undefined : readAuthorities(requestHeaders.clientCa);
    this.#ofUsers = requestHeaders === undefined ? [] : readAuthorities(clientCa);
    this.#clock = clock;
  }

  /** The subject of a certificate that an authority vouches for; nothing else of a certificate is believed. */
  shownOn(socket: TLSSocket): ShownCredentials {
    const subject = clientSubject(socket);
    if (subject === undefined) return {};
    const { commonName, organizations, fingerprint, endsMs } = subject;
    const known = {
      ...(Number.isNaN(endsMs) ? {} : { certificateEndsMs: endsMs }),
      ...(this.#isOf(socket, this.#ofProxies ?? []) ? { frontProxy: { commonName } } : {}),
    };
    if (!socket.authorized || !this.#isUser(socket)) return { ...known, foreignCertificate: true };
    if (commonName === '') return known;
    const [uid, ...more] = subject.of(UID_TYPE);
    // Several uids, or an empty one, are nobody's: upstream refuses such a certificate too.
    if (more.length > 0 || uid === '') return { ...known, foreignCertificate: true };
    const named = { commonName, organizations, fingerprint, ...(uid === undefined ? {} : { uid }) };
    return { ...known, certificate: named };
  }

  #isUser(socket: TLSSocket): boolean {
    return this.#ofProxies === undefined || this.#isOf(socket, this.#ofUsers);
  }

  #isOf(socket: TLSSocket, authorities: readonly X509Certificate[]): boolean {
    if (authorities.length === 0) return false;
    const certificate = socket.getPeerX509Certificate();
    return certificate !== undefined && isVouchedFor(certificate, authorities, this.#clock.now());
  }
}
