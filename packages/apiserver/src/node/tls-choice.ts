import { CatalogueError } from '@binnacle/base';

/** A version or a cipher that is not known. */
export class TlsChoiceError extends CatalogueError {
  constructor(message: string) {
    super('tls-choice', message);
  }
}

/** How clients may speak, as Node takes it. */
export interface TlsChoice {
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** OpenSSL's names, between colons. */
  readonly ciphers?: string;
}

/** Names of TLS 1.2 and below by IANA, which Go uses, to OpenSSL's. Those of 1.3 cannot be chosen, as in Go. */
const CIPHERS: ReadonlyMap<string, string> = new Map([
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
]);
const NEWEST: ReadonlySet<string> = new Set([
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
]);
const VERSIONS: ReadonlyMap<string, 'TLSv1.2' | 'TLSv1.3'> = new Map([
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);

/** Reads upstream's `--tls-min-version` and `--tls-cipher-suites`. Throws TlsChoiceError, with the flag. */
export function readTlsChoice(minVersion: string | undefined, suites: readonly string[] | undefined): TlsChoice {
  const version = minVersion === undefined ? undefined : VERSIONS.get(minVersion);
  if (minVersion !== undefined && version === undefined) {
    throw new TlsChoiceError(
      `--tls-min-version: unknown tls version ${JSON.stringify(minVersion)}: one of ${[...VERSIONS.keys()].join(', ')}`,
    );
  }
  // TLS 1.3's are always on, and named without effect.
  const chosen = suites?.filter((name) => !NEWEST.has(name));
  const unknown = chosen?.find((name) => !CIPHERS.has(name));
  if (unknown !== undefined)
    throw new TlsChoiceError(`--tls-cipher-suites: Cipher suite ${unknown} not supported or doesn't exist`);
  const ciphers = [...NEWEST, ...(chosen ?? []).map((name) => CIPHERS.get(name) ?? '')].join(':');
  return {
    ...(version === undefined ? {} : { minVersion: version }),
    ...(suites === undefined ? {} : { ciphers }),
  };
}
