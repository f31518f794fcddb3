import { CatalogueError } from './error.ts';

/** Why nobody answered, in the classes that callers tell apart. */
export type HttpFault = 'lookup' | 'dial' | 'certificate' | 'tls' | 'cut' | 'malformed';

/**
 * Nobody answered, or not to the end: `Get "https://10.0.0.1:443/x": dial tcp 10.0.0.1:443: connect: connection
 * refused`. The words are those of Go's net/http, for they end up in conditions, events and Status messages.
 */
export class HttpConnectError extends CatalogueError {
  readonly fault: HttpFault;
  /** The message without the method and the URL. */
  readonly why: string;

  constructor(call: CalledUrl, failure: { readonly fault: HttpFault; readonly why: string }, cause?: unknown) {
    super('http-connect', `${calledUrl(call)}: ${failure.why}`, { facts: { ...failure }, cause });
    this.fault = failure.fault;
    this.why = failure.why;
  }
}

/** No reply within the call's time: `Post "https://hook.default.svc:443/x?timeout=1s": context deadline exceeded`. */
export class HttpTimeoutError extends CatalogueError {
  constructor(call: CalledUrl) {
    super('http-timeout', `${calledUrl(call)}: context deadline exceeded`);
  }
}

/** The code of an address that the caller does not permit. */
export const FORBIDDEN_ADDRESS = 'EFORBIDDENADDRESS';

/** The code of a connection that nobody takes in time. */
export const DIAL_TIMEOUT = 'EDIALTIMEOUT';
/** The code of a connection whose other side does not answer the handshake in time. */
export const HANDSHAKE_TIMEOUT = 'EHANDSHAKETIMEOUT';

/** All addresses of a name are such that the caller does not permit. */
export class ForbiddenAddressError extends CatalogueError {
  constructor() {
    super(FORBIDDEN_ADDRESS, 'address not allowed');
  }
}

/** A certificate has no alternative names: it is nobody's. The code is Node's for one of other names. */
export class UnnamedCertificateError extends CatalogueError {
  constructor() {
    super('ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate has no alternative names');
  }
}

/** What the message of a failed call begins with. */
export interface CalledUrl {
  readonly method: string;
  readonly url: string;
}

function calledUrl({ method, url }: CalledUrl): string {
  return `${method.slice(0, 1).toUpperCase()}${method.slice(1).toLowerCase()} ${JSON.stringify(url)}`;
}

/** What is known of a failure: the system's code, and of whom it speaks. */
export interface ConnectFailure {
  /** Node's: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`, … */
  readonly code: string;
  readonly message: string;
  /** Where the connection went or should have gone: `10.0.0.1:443`. */
  readonly address: string;
  /** The host of a failed lookup, or the name that a certificate should have carried. */
  readonly host: string;
  /** `subjectaltname` of a certificate that was refused for its names, in Node's form. */
  readonly names?: string | undefined;
  /** The common name of its subject. */
  readonly commonName?: string | undefined;
  /** For which its certificates were refused, where they were for one. */
  readonly weakSignature?: WeakSignature | undefined;
}

/** A signature that is easily forged. */
export interface WeakSignature {
  /** Go's name: `SHA1-RSA`. */
  readonly algorithm: string;
  /** Whose it should be. */
  readonly issuer: string;
}

/** OpenSSL's words for one; Node has no code for it. */
const WEAK_DIGEST = 'CA signature digest algorithm too weak';
/** Go's, of a certificate that has no names but its subject's. */
export const LEGACY_NAME = 'x509: certificate relies on legacy Common Name field, use SANs instead';

const DIAL: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  ETIMEDOUT: 'connect: connection timed out',
  [DIAL_TIMEOUT]: 'i/o timeout',
};
const UNKNOWN_AUTHORITY = 'x509: certificate signed by unknown authority';
const CERTIFICATE: { readonly [code: string]: string } = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
  INVALID_PURPOSE: 'x509: certificate specifies an incompatible key usage',
};
const TLS: { readonly [code: string]: string } = {
  [HANDSHAKE_TIMEOUT]: 'net/http: TLS handshake timeout',
  ERR_SSL_WRONG_VERSION_NUMBER: 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'remote error: tls: protocol version not supported',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'remote error: tls: certificate required',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'remote error: tls: unknown certificate authority',
  ERR_SSL_SSL_TLSV1_ALERT_UNKNOWN_CA: 'remote error: tls: unknown certificate authority',
  ERR_SSL_SSL_ALERT_BAD_CERTIFICATE: 'remote error: tls: bad certificate',
  ERR_SSL_SSL_ALERT_HANDSHAKE_FAILURE: 'remote error: tls: handshake failure',
};

/** A failed connection in Go's words. */
export function describeFailure(failure: ConnectFailure): { readonly fault: HttpFault; readonly why: string } {
  const { code, address, host, message } = failure;
  const dial = DIAL[code];
  if (dial !== undefined) return { fault: 'dial', why: `dial tcp ${address}: ${dial}` };
  if (code === FORBIDDEN_ADDRESS) return { fault: 'dial', why: 'address not allowed' };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const why = code === 'ENOTFOUND' ? 'no such host' : 'server misbehaving';
    return { fault: 'lookup', why: `dial tcp: lookup ${host}: ${why}` };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return { fault: 'certificate', why: `tls: failed to verify certificate: ${nameFault(failure)}` };
  }
  const certificate = CERTIFICATE[code];
  if (certificate !== undefined) {
    return { fault: 'certificate', why: `tls: failed to verify certificate: ${certificate}` };
  }
  if (message === WEAK_DIGEST) {
    const why = `${UNKNOWN_AUTHORITY}${weakness(failure.weakSignature)}`;
    return { fault: 'certificate', why: `tls: failed to verify certificate: ${why}` };
  }
  const tls = TLS[code === 'EPROTO' ? openSslCode(message) : code];
  if (tls !== undefined) return { fault: 'tls', why: tls };
  if (code.startsWith('HPE_'))
    return { fault: 'malformed', why: `net/http: HTTP/1.x transport connection broken: ${message}` };
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    // Node's own word for a connection that was closed in good order before the reply.
    const closed = message.includes('hang up') || message.includes('disconnected before');
    const why = closed ? 'EOF' : `read tcp ${address}: read: connection reset by peer`;
    return { fault: 'cut', why };
  }
  return { fault: 'dial', why: message };
}

/** OpenSSL's reason where a write met it: `write EPROTO …:error:0A00010B:SSL routines:…:wrong version number:…`. */
function openSslCode(message: string): string {
  const reason = message.split(':').find((_part, at, parts) => parts[at - 2] === 'SSL routines') ?? '';
  return `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
}

function weakness(signature: WeakSignature | undefined): string {
  if (signature === undefined) return '';
  const why = JSON.stringify(`x509: cannot verify signature: insecure algorithm ${signature.algorithm}`);
  const issuer = JSON.stringify(signature.issuer);
  return ` (possibly because of ${why} while trying to verify candidate authority certificate ${issuer})`;
}

function nameFault({ host, names, commonName = '' }: ConnectFailure): string {
  if (names === undefined && matches(commonName, host)) {
    return LEGACY_NAME;
  }
  const known = (names ?? '').split(', ').filter((name) => name !== '');
  const isAddress = /^[\d.]+$|:/.test(host);
  const wanted = isAddress ? 'IP Address:' : 'DNS:';
  const listed = known.filter((name) => name.startsWith(wanted)).map((name) => name.slice(wanted.length));
  if (isAddress && listed.length === 0) {
    return `x509: cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  }
  if (listed.length === 0) return `x509: certificate is not valid for any names, but wanted to match ${host}`;
  return `x509: certificate is valid for ${listed.join(', ')}, not ${host}`;
}

/** Label by label; a star stands for the first one. */
function matches(pattern: string, host: string): boolean {
  const [wanted, given] = [pattern, host].map((name) => name.toLowerCase().split('.')) as [string[], string[]];
  if (pattern === '' || wanted.length !== given.length) return false;
  return wanted.every((label, at) => label === given[at] || (at === 0 && label === '*'));
}
