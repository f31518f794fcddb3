import { status } from '@binnacle/machinery';

/** What a proxied path names: `pod`, `pod:8080`, `https:service:port-name`, `https:node:`. */
export interface ProxyTarget {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** Empty where nothing is said; of a Service also a name. */
  readonly port: string;
}

const SCHEMES: ReadonlySet<string> = new Set(['', 'http', 'https']);

/** Reads `[scheme:]name[:port]`. Throws 400; `what`: `pod`, `service` or `node`. */
export function readTarget(what: string, text: string): ProxyTarget {
  const parts = text.split(':');
  const [first = '', second = '', third = ''] = parts;
  const scheme = parts.length === 3 ? first : '';
  const name = parts.length === 3 ? second : first;
  if (parts.length > 3 || name === '' || !SCHEMES.has(scheme)) {
    throw status.badRequest(`invalid ${what} request ${JSON.stringify(text)}`);
  }
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port: parts.length === 3 ? third : second };
}

/** The number of a port that is dialled. Throws 503 in Go's words for what is none. */
export function portNumber(host: string, port: string, scheme: ProxyTarget['scheme']): number {
  if (port === '') return scheme === 'https' ? 443 : 80;
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (number >= 1 && number <= 65_535) return number;
  const why = /^\d+$/.test(port) ? `address ${port}: invalid port` : `lookup tcp/${port}: unknown port`;
  throw status.serviceUnavailable(`error trying to reach service: dial tcp ${host}: ${why}`);
}
