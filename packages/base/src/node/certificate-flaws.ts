/** What Go's clients hold against the certificates of servers, of which upstream keeps score. */
import { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { DetailedPeerCertificate } from 'node:tls';
import type { CertificateFlaw, HttpCall } from '../http.ts';
import { LEGACY_NAME } from '../http-errors.ts';
import type { HttpConnectError, WeakSignature } from '../http-errors.ts';
import { RecentTable } from '../recent-table.ts';

/** By OpenSSL's names: Go's. */
const SHA1: ReadonlyMap<string | undefined, string> = new Map([
  ['sha1WithRSAEncryption', 'SHA1-RSA'],
  ['ecdsa-with-SHA1', 'ECDSA-SHA1'],
]);
/** Nobody looks at more certificates of a server. */
const CHAIN_MAX = 10;
/** Twice as many places as Node remembers sessions of. */
const PLACES_MAX = 200;

interface Seen {
  readonly flaws: readonly CertificateFlaw[];
  /** The first one of those that are not their own authority. */
  readonly weak?: WeakSignature | undefined;
}

const NOTHING: Seen = { flaws: [] };
const seen = new WeakMap<object, Seen>();

/** Looks at each connection's certificates once, before they are judged: of a refused one they are gone behind that. */
export class CertificateWatch {
  /** Where a session goes on no certificate comes: they are those that it began with. */
  readonly #places = new RecentTable<Seen>(PLACES_MAX);

  /** `place`: of connections that may have sessions in common. */
  watch(socket: unknown, place: string): void {
    if (!(socket instanceof TLSSocket)) return;
    socket.prependOnceListener('secure', () => {
      // As Node itself asks for it behind this: the other way of asking leaves nothing for that.
      const shown = socket.getPeerCertificate(true) as Partial<DetailedPeerCertificate>;
      const found = shown.raw === undefined ? this.#places.get(place) : lookAt(shown);
      if (found === undefined) return;
      if (found.flaws.length > 0) seen.set(socket, found);
      if (found.flaws.length > 0) this.#places.set(place, found);
      else this.#places.delete(place);
    });
  }
}

/** The signature for which a connection was refused, where it was for one. */
export function weakSignatureOn(socket: object | null | undefined): WeakSignature | undefined {
  return seenOn(socket).weak;
}

/** Tells a call of the flaws that were taken. */
export function tellTaken({ onFlaw }: HttpCall, socket: object | null | undefined): void {
  if (onFlaw !== undefined) for (const flaw of seenOn(socket).flaws) onFlaw(flaw);
}

/** Tells a call of the flaw for which it was refused. */
export function tellRefused({ onFlaw }: HttpCall, { fault, why }: HttpConnectError): void {
  if (onFlaw === undefined || fault !== 'certificate') return;
  if (why.endsWith(LEGACY_NAME)) onFlaw('missing-san');
  if (WEAK.test(why)) onFlaw('insecure-sha1');
}

const WEAK = /"x509: cannot verify signature: insecure algorithm [A-Z]*-?SHA1\b/;

function seenOn(socket: object | null | undefined): Seen {
  return (socket && seen.get(socket)) ?? NOTHING;
}

function lookAt(shown: Partial<DetailedPeerCertificate>): Seen {
  const weak = weakSignature(shown);
  return {
    flaws: [
      ...(shown.subjectaltname === undefined ? (['missing-san'] as const) : []),
      ...(weak === undefined ? [] : (['insecure-sha1'] as const)),
    ],
    weak,
  };
}

function weakSignature(shown: Partial<DetailedPeerCertificate>): WeakSignature | undefined {
  let one: Partial<DetailedPeerCertificate> | undefined = shown;
  for (let at = 0; one?.raw !== undefined && at < CHAIN_MAX; at++) {
    const { signatureAlgorithm, issuer, subject } = new X509Certificate(one.raw);
    const algorithm = SHA1.get(signatureAlgorithm);
    // Nobody believes an authority for its own signature.
    if (algorithm !== undefined && issuer !== subject) return { algorithm, issuer: nameOf(issuer) };
    // The last one is its own issuer.
    one = one.issuerCertificate === one ? undefined : one.issuerCertificate;
  }
  return undefined;
}

/** The common name of a subject in Node's form, else its first organisation. */
function nameOf(subject: string): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? /^O=(.*)$/m.exec(subject)?.[1] ?? '';
}
