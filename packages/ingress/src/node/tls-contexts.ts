import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { messageOf } from '@binnacle/base';
import { UnfitKeyError } from '../errors.ts';
import type { CertificatePair, Traffic } from '../ports.ts';

type Done = (error: Error | null, context?: SecureContext) => void;

/** What is kept for handshakes to come; made anew beyond that. */
const KEPT_MAX = 1000;

/** Of RSA, whose signatures cost the cube of it: 4 ms with so many, a fifth of a second with 16,384. */
const KEY_BITS_MAX = 4096;

/** Certificates of Secrets, ready for handshakes. */
export class TlsContexts {
  readonly #traffic: Pick<Traffic, 'certificateFor'>;
  readonly #contexts = new Map<string, SecureContext>();

  constructor(traffic: Pick<Traffic, 'certificateFor'>) {
    this.#traffic = traffic;
  }

  /** Answers a handshake for a name: its certificate, or nothing for the one that everybody gets. */
  choose(serverName: string, done: Done): void {
    const pair = this.#traffic.certificateFor(serverName);
    if (pair === undefined) return done(null);
    try {
      done(null, this.#contextOf(pair));
    } catch (error) {
      done(error as Error);
    }
  }

  /** Why a pair cannot be served; undefined: it can. */
  refusalOf(pair: CertificatePair): string | undefined {
    if (pair.certificate === '') return 'tls.crt is not there';
    if (pair.key === '') return 'tls.key is not there';
    try {
      // One that expired, or has other names, is served all the same: who visits it sees.
      const { modulusLength = 0 } = createPrivateKey(textOf(pair.key)).asymmetricKeyDetails ?? {};
      if (modulusLength > KEY_BITS_MAX)
        return `tls.key has ${modulusLength} bits, more than ${KEY_BITS_MAX}: each handshake would hold up everybody`;
      contextOf(pair);
      return undefined;
    } catch (error) {
      return `tls.crt and tls.key are no pair: ${messageOf(error)}`;
    }
  }

  #contextOf(pair: CertificatePair): SecureContext {
    let context = this.#contexts.get(pair.id);
    if (context === undefined) {
      if (this.#contexts.size >= KEPT_MAX) this.#contexts.clear();
      this.#contexts.set(pair.id, (context = contextOf(pair)));
    }
    return context;
  }
}

function contextOf({ certificate, key }: CertificatePair): SecureContext {
  const [cert, own] = [textOf(certificate), textOf(key)];
  // The context itself notices only keys of one sort that do not belong together.
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(own))) {
    throw new UnfitKeyError();
  }
  return createSecureContext({ cert, key: own, minVersion: 'TLSv1.2' });
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
