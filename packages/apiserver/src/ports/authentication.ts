import type { UserInfo } from '@binnacle/machinery';

/** What a connection and its headers say about the caller. */
export interface Credentials {
  /** The token of `Authorization: Bearer …`. */
  readonly bearerToken?: string;
  /** Subject of the client certificate that TLS verified against our CA: CN, O's. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] };
  /** A client certificate came that our CA did not sign. */
  readonly foreignCertificate?: true;
  /** The client certificate is one of a front proxy's authority: its headers may say who asks. */
  readonly frontProxy?: FrontProxy;
}

/** Somebody who passes requests of others on. */
export interface FrontProxy {
  /** Of its certificate. */
  readonly commonName: string;
  /** Of the request: names in lower case, repeated ones apart. */
  headerLines(): Iterable<readonly [name: string, value: string]>;
}

export interface Authenticator {
  /** Undefined: these credentials say nothing to it. Throws `unauthorized` for bad ones. */
  authenticate(credentials: Credentials): UserInfo | undefined | Promise<UserInfo | undefined>;
}
