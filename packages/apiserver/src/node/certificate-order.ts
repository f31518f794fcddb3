/** What goes to the certificate worker and what comes back: plain data, times in milliseconds since the epoch. */

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Whom a certificate is for. With host names or addresses it serves TLS too. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly hostnames?: readonly string[];
  readonly ips?: readonly string[];
}

export interface CertificateRequest {
  readonly name: string;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly hostnames: readonly string[];
  readonly ips: readonly string[];
  readonly client: boolean;
}

export interface CertificateOrder {
  /** Absent: make a new authority first. */
  readonly ca: KeyPair | undefined;
  /** The name of a new authority; default `kubernetes`. */
  readonly caName?: string;
  readonly requests: readonly CertificateRequest[];
  readonly notBefore: number;
  readonly notAfter: number;
  readonly caNotAfter: number;
}

export interface IssuedCertificates {
  readonly ca?: KeyPair;
  readonly issued: { readonly [name: string]: KeyPair };
}
