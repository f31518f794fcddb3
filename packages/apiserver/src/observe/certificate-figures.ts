/** Certificates of servers that are asked, in upstream's names (k8s.io/apiserver, util/x509metrics; kube-aggregator). */
import type { CertificateFlaw, HttpCall, HttpCaller } from '@binnacle/base';
import { CounterFamily } from './series.ts';
import type { Figures } from './series.ts';

/** Whom this server asks: webhooks of all sorts, or the API servers behind it. */
export type AskedServers = 'webhooks' | 'kube_aggregator';

const ASKED: readonly AskedServers[] = ['webhooks', 'kube_aggregator'];
const FLAWS: readonly (readonly [flaw: CertificateFlaw, name: string, what: string])[] = [
  ['missing-san', 'x509_missing_san_total', 'have no alternative names'],
  ['insecure-sha1', 'x509_insecure_sha1_total', 'are signed by SHA-1'],
];

/** Keeps score of servers whose certificates are such as Go's clients refuse, or would, and shows it. */
export class CertificateFigures implements Figures {
  readonly #families = new Map<string, CounterFamily>();

  constructor() {
    for (const servers of ASKED) {
      for (const [flaw, name, what] of FLAWS) {
        const help = `Requests to servers whose certificates ${what}, refused ones among them.`;
        const family = new CounterFamily({ name: `apiserver_${servers}_${name}`, help, labels: [] });
        // Shown from the start, as upstream does.
        family.add([], 0);
        this.#families.set(keyOf(servers, flaw), family);
      }
    }
  }

  /** The same caller, of whose calls those count that ask to hear of flaws. */
  counting(http: HttpCaller, servers: AskedServers): HttpCaller {
    const counted = (call: HttpCall): HttpCall => {
      const { onFlaw } = call;
      if (onFlaw === undefined) return call;
      return {
        ...call,
        onFlaw: (flaw) => {
          this.#families.get(keyOf(servers, flaw))?.add([]);
          onFlaw(flaw);
        },
      };
    };
    return {
      request: (call) => http.request(counted(call)),
      upgrade: (call) => http.upgrade(call),
      close: () => http.close(),
    };
  }

  render(out: string[]): void {
    for (const family of this.#families.values()) family.render(out);
  }
}

function keyOf(servers: AskedServers, flaw: CertificateFlaw): string {
  return `${servers} ${flaw}`;
}
