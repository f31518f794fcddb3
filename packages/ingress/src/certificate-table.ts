import { Claims } from './claims.ts';
import type { IngressRules } from './read-ingress.ts';

/** What of an Ingress bears on certificates. */
type Wishing = Pick<IngressRules, 'age' | 'tls'>;

/** Which Secret serves a server name: the host's own, that of a wildcard, then that of any host; the first one that asks has it. */
export class CertificateTable {
  readonly #byHost = new Map<string, Claims<string>>();

  constructor(ingresses: Iterable<Wishing> = []) {
    for (const one of ingresses) this.add(one);
  }

  add({ age, tls }: Wishing): void {
    for (const { hosts, secret } of tls)
      for (const host of hosts) {
        let claims = this.#byHost.get(host);
        if (claims === undefined) this.#byHost.set(host, (claims = new Claims()));
        claims.claim(age, secret);
      }
  }

  /** As it was added. */
  remove({ age, tls }: Wishing): void {
    for (const { hosts } of tls)
      for (const host of hosts) {
        const claims = this.#byHost.get(host);
        claims?.release(age);
        if (claims?.isEmpty === true) this.#byHost.delete(host);
      }
  }

  /** `namespace/name`; undefined: nobody asked for one. */
  secretFor(serverName: string): string | undefined {
    const host = serverName.toLowerCase();
    const dot = host.indexOf('.');
    const wildcard = dot > 0 ? this.#byHost.get(`*${host.slice(dot)}`) : undefined;
    return this.#byHost.get(host)?.winner ?? wildcard?.winner ?? this.#byHost.get('')?.winner;
  }
}
