import type { TLSSocket } from 'node:tls';

/** What a client's certificate says of its owner, as Go reads it, whoever signed it. */
export interface ClientSubject {
  /** The last of several; empty: it has none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** When it ends, in milliseconds since the epoch; NaN: it does not say. */
  readonly endsMs: number;
  /** SHA-256 of its DER, in lower hexadecimal. */
  readonly fingerprint: string;
  /** What it has of a type, by its OID where Node has no name for it. */
  of(type: string): readonly string[];
}

/** Reads the certificate that a client showed; undefined: it showed none. Whether it is believed, `authorized` says. */
export function clientSubject(socket: TLSSocket): ClientSubject | undefined {
  const { subject, fingerprint256, valid_to: end } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  const parts = subject as { readonly [type: string]: string | readonly string[] | undefined };
  const of = (type: string): readonly string[] => [parts[type] ?? []].flat();
  return {
    commonName: of('CN').at(-1) ?? '',
    organizations: of('O'),
    endsMs: Date.parse(end),
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    of,
  };
}

/**
 * Whom a certificate names that is believed; undefined: none is. Asked with each request: a connection may outlive its
 * certificate, and a session that goes on has nobody look at it again.
 */
export function certifiedCaller(
  socket: TLSSocket,
  nowMs: number,
): { readonly name: string; readonly groups: readonly string[] } | undefined {
  const subject = socket.authorized ? clientSubject(socket) : undefined;
  if (subject === undefined || subject.commonName === '' || subject.endsMs < nowMs) return undefined;
  return { name: subject.commonName, groups: [...subject.organizations, 'system:authenticated'] };
}
