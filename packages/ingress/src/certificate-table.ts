import type { TlsWish } from './read-ingress.ts';

/** Which Secret serves a server name: the host's own, that of a wildcard, then that of any host; the first one that asks has it. */
export class CertificateTable {
  readonly #byHost = new Map<string, string>();

  constructor(wishes: Iterable<TlsWish>) {
    for (const { hosts, secret } of wishes) {
      for (const host of hosts) if (!this.#byHost.has(host)) this.#byHost.set(host, secret);
    }
  }

  /** `namespace/name`; undefined: nobody asked for one. */
  secretFor(serverName: string): string | undefined {
    const host = serverName.toLowerCase();
    const dot = host.indexOf('.');
    const wildcard = dot > 0 ? this.#byHost.get(`*${host.slice(dot)}`) : undefined;
    return this.#byHost.get(host) ?? wildcard ?? this.#byHost.get('');
  }
}
