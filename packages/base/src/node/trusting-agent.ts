import type { RequestOptions } from 'node:http';
import { Agent } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpCall, HttpTrust } from '../http.ts';
import { CertificateWatch } from './certificate-flaws.ts';
import { identityCheck, trustKeyOf } from './server-identity.ts';

/** Connections are shared by callers who go to the same place with the same trust, checked by the same name. */
export class TrustingAgent extends Agent {
  readonly #watch = new CertificateWatch();

  override getName(options: RequestOptions & { readonly trustKey?: string } = {}): string {
    return `${options.host ?? ''}:${options.port ?? ''}:${options.trustKey ?? ''}`;
  }

  // Here and not among the request's options: Node keeps no connection that those have checked by hand.
  override createConnection(
    options: RequestOptions & { readonly checkedName?: string },
    done?: (error: Error | null, stream: Duplex) => void,
  ): ReturnType<Agent['createConnection']> {
    const socket = super.createConnection({ ...options, ...identityCheck(options.checkedName ?? '') }, done);
    this.#watch.watch(socket, this.getName(options));
    return socket;
  }
}

const NO_TRUST: HttpTrust = {};

/** Whom a call believes, and as whom it comes, for Node's TLS and for `TrustingAgent`. */
export function tlsOf(call: HttpCall): RequestOptions {
  const { ca, certificate, key, insecure } = call.trust ?? NO_TRUST;
  const name = nameOf(call);
  const tls = {
    trustKey: `${name}:${trustKeyOf(call.trust ?? NO_TRUST)}`,
    // An IP address is no server name (RFC 6066); empty keeps Node from taking the host for one.
    servername: isIP(name) === 0 ? name : '',
    checkedName: name,
    rejectUnauthorized: insecure !== true,
    // As Go checks: whatever stands in the bundle is believed, also where it is no authority of its own.
    allowPartialTrustChain: true,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    minVersion: 'TLSv1.2',
  } as const;
  return tls as RequestOptions;
}

/** Whom the certificate has to be for. */
export function nameOf({ url, trust }: HttpCall): string {
  return trust?.serverName ?? new URL(url).hostname.replace(/^\[|\]$/g, '');
}
