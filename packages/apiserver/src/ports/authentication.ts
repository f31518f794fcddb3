import type { UserInfo } from '@binnacle/machinery';

/** What a connection and its headers say about the caller. */
export interface Credentials {
  /** The token of `Authorization: Bearer …`. */
  readonly bearerToken?: string;
  /** The client certificate that TLS verified against our CA. */
  readonly certificate?: ShownCertificate;
  /** When the client certificate ends that came, whoever signed it: in milliseconds since the epoch. */
  readonly certificateEndsMs?: number;
  /** A client certificate came that our CA did not sign. */
  readonly foreignCertificate?: true;
  /** The client certificate is one of a front proxy's authority: its headers may say who asks. */
  readonly frontProxy?: FrontProxy;
}

/** Whom a client certificate names, and which one it is. */
export interface ShownCertificate {
  /** The subject's CN. */
  readonly commonName: string;
  /** The subject's O's. */
  readonly organizations: readonly string[];
  /** SHA-256 of its DER, in lower hexadecimal: tells certificates of one user apart. */
  readonly fingerprint: string;
  /** What the subject has of the type 1.3.6.1.4.1.57683.2. */
  readonly uid?: string;
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
