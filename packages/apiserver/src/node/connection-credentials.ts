import type { Credentials } from '../ports/authentication.ts';

/** The scheme in any case (RFC 9110, 11.1), then the token. */
const BEARER = /^bearer +/i;

/**
 * What one connection has shown of its caller. Requests with the same token get the same object and the same string,
 * so that the token is hashed once and not once per request (measured: a tenth of a GET).
 */
export class ConnectionCredentials {
  readonly #own: Credentials;
  #authorization = '';
  #withToken: Credentials;

  /** `own`: the client certificate, where there is one. */
  constructor(own: Credentials) {
    this.#own = own;
    this.#withToken = own;
  }

  /** The connection's own, with the token of an Authorization header. */
  of(authorization: string | undefined): Credentials {
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
