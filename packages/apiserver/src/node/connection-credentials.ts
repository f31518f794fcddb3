import type { Credentials } from '../ports/authentication.ts';
import { linesOf } from './header-lines.ts';
import type { HeaderLines } from './header-lines.ts';

/** The scheme in any case (RFC 9110, 11.1), then the token. */
const BEARER = /^bearer +/i;

/** What a connection has shown of its caller by its certificate. */
export interface ShownCredentials extends Pick<
  Credentials,
  'certificate' | 'certificateEndsMs' | 'foreignCertificate'
> {
  /** It is a front proxy's: the headers of each request may say who asks. */
  readonly frontProxy?: { readonly commonName: string };
}

/**
 * What one connection has shown of its caller. Requests with the same token get the same object and the same string,
 * so that the token is hashed once and not once per request (measured: a tenth of a GET).
 */
export class ConnectionCredentials {
  readonly #own: Credentials;
  readonly #frontProxy: { readonly commonName: string } | undefined;
  #authorization = '';
  #withToken: Credentials;
  /** What remains to be done when somebody is known to be behind the connection. */
  #onKnown: (() => void) | undefined;

  constructor({ frontProxy, ...own }: ShownCredentials, onKnown?: () => void) {
    this.#own = own;
    this.#frontProxy = frontProxy;
    this.#withToken = own;
    this.#onKnown = onKnown;
  }

  /** Whether nobody is known to be behind it so far. */
  get isStranger(): boolean {
    return this.#onKnown !== undefined;
  }

  /** A request of it was somebody's. */
  known(): void {
    this.#onKnown?.();
    this.#onKnown = undefined;
  }

  /** Whether its requests may speak of users. */
  get isFrontProxy(): boolean {
    return this.#frontProxy !== undefined;
  }

  /** The connection's own, with the token of an Authorization header, and a front proxy's with what it says in its headers (names and values in turn). */
  of(authorization: string | undefined, rawHeaders: readonly string[]): Credentials {
    const credentials = this.#tokenOf(authorization);
    if (this.#frontProxy === undefined) return credentials;
    const headerLines = (): HeaderLines => linesOf(rawHeaders);
    return { ...credentials, frontProxy: { ...this.#frontProxy, headerLines } };
  }

  #tokenOf(authorization: string | undefined): Credentials {
    if (authorization === undefined) return this.#own;
    if (authorization !== this.#authorization) {
      const scheme = BEARER.exec(authorization);
      if (scheme === null) return this.#own;
      this.#authorization = authorization;
      this.#withToken = { ...this.#own, bearerToken: authorization.slice(scheme[0].length).trim() };
    }
    return this.#withToken;
  }
}
