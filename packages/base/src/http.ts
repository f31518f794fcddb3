import type { Duplex } from './duplex.ts';

/**
 * HTTP out of the house: webhooks, aggregated API servers, OIDC issuers, scheduler extenders, kubelets. The adapter
 * is in `node/`; rooms that may not import each other share the port.
 */

/** How to know the other side, and to be known by it. All PEM. */
export interface HttpTrust {
  /** Whom to believe. Absent: the system's authorities. */
  readonly ca?: string;
  /** The name that the certificate must carry. Absent: the host of the URL. */
  readonly serverName?: string;
  /** Takes any certificate. */
  readonly insecure?: boolean;
  readonly certificate?: string;
  readonly key?: string;
}

/** What Go's clients do not take in a server's certificates any more: no alternative names, a signature by SHA-1. */
export type CertificateFlaw = 'missing-san' | 'insecure-sha1';

/** One request. Header names in lower case. */
export interface HttpCall {
  readonly method: string;
  /** `https://host:port/path?query`; `http:` where the caller allows it. */
  readonly url: string;
  readonly headers?: { readonly [name: string]: string | readonly string[] };
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly trust?: HttpTrust;
  /** `http://[USER:PASSWORD@]HOST:PORT` of a proxy (CONNECT) to go through, `upgrade` to `https:` only. */
  readonly proxy?: string;
  /** Connects there in place of the URL's host: a Service's endpoint. The certificate is still checked by name. */
  readonly dial?: { readonly host: string; readonly port: number };
  /** Connects to this Unix socket in place of the URL's host. Plain `http:` only. */
  readonly socketPath?: string;
  /** Speaks on this connection, made for the call, in place of one over the network. Plain `http:` only. */
  readonly connect?: () => Promise<Duplex>;
  /** Whether an address may be connected to, told after names are resolved. Absent: any. */
  readonly permits?: (address: string) => boolean;
  /**
   * Milliseconds until the reply's end, as Go's clients count; of an upgrade, until its yes. Absent: only `signal` ends
   * the wait. Rejects with `HttpTimeoutError`, as reading the body does.
   */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Hears of flaws of the server's certificates, whether they were taken or refused. Not of upgrades. */
  readonly onFlaw?: (flaw: CertificateFlaw) => void;
}

/** The head of a reply, and its body at the pace of the reader. Leaving the loop early drops the connection. */
export interface HttpReply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Throws when the connection breaks before the end. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The other side changed to the protocol that was asked for. */
export interface HttpUpgraded {
  readonly status: 101;
  readonly headers: HttpReply['headers'];
  /** Starts with what came behind the head. */
  readonly stream: Duplex;
}

/** Makes requests. Throws an HttpConnectError (with the system's cause) when nobody answers. */
export interface HttpCaller {
  request(call: HttpCall): Promise<HttpReply>;
  /** Sends `connection: upgrade` with the call's own `upgrade` header; a refusal is an ordinary reply. */
  upgrade(call: HttpCall): Promise<HttpReply | HttpUpgraded>;
  /** Ends idle connections; those in use end with their requests. */
  close(): Promise<void>;
}
