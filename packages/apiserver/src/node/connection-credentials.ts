import type { Credentials } from '../ports/authentication.ts';

const BEARER = 'Bearer ';

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
    if (authorization === undefined || !authorization.startsWith(BEARER)) return this.#own;
    if (authorization !== this.#authorization) {
      this.#authorization = authorization;
      this.#withToken = { ...this.#own, bearerToken: authorization.slice(BEARER.length).trim() };
    }
    return this.#withToken;
  }
}
