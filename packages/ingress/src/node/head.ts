import { plainAddress } from '@binnacle/base';
import { hostOf, readTarget } from '../request-target.ts';

/** A request's head as it came: names and values in turn, as Node has them. */
export interface RawHead {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
}

/** What is known of the connection that a request came by. */
export interface Arrival {
  readonly remoteAddress: string;
  readonly isSecure: boolean;
  /** The port that the client spoke to. */
  readonly port: number;
}

/** A head that may go on. */
export interface ReadHead {
  readonly method: string;
  /** As rules name it. */
  readonly host: string;
  /** As the client said it. */
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly headers: HeaderLines;
}

/** By name in lower case; several lines of one name stay several. */
export type HeaderLines = { readonly [name: string]: string | string[] };

/** They mean one connection, and end with it (RFC 9110, 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
]);
/**
 * What is said here and not believed of the client, and `expect`, which has been answered here. HTTP/2 says them in
 * small letters, and so do we.
 */
const OURS: Names = {
  // The whole family: programs believe a scheme, a prefix, a user or a certificate of it as they believe an address.
  has: (name) => name.startsWith('x-forwarded-') || ['host', 'expect', 'forwarded', 'x-real-ip'].includes(name),
};
type Names = Pick<ReadonlySet<string>, 'has'>;
const NONE: Names = new Set();

/** Reads a head for whoever it goes to. A number: the status that refuses it. */
export function readHead({ method, target, rawHeaders }: RawHead, arrival: Arrival): ReadHead | 400 | 501 {
  const read = readTarget(target);
  const hosts = valuesOf(rawHeaders, 'host');
  const authority = read?.authority ?? valuesOf(rawHeaders, ':authority')[0] ?? hosts[0] ?? '';
  const host = hostOf(authority);
  if (read === undefined || host === '' || hosts.length > 1) return 400;
  // A body in another coding than chunks would go on without the word that says so.
  if (valuesOf(rawHeaders, 'transfer-encoding').some((coding) => coding.trim().toLowerCase() !== 'chunked')) return 501;
  const { path, query } = read;
  return {
    method,
    host,
    authority,
    path,
    query,
    headers: { ...endToEnd(rawHeaders, OURS), ...told(authority, arrival) },
  };
}

function told(authority: string, { remoteAddress, isSecure, port }: Arrival): HeaderLines {
  const client = plainAddress(remoteAddress);
  return {
    host: authority,
    'x-real-ip': client,
    'x-forwarded-for': client,
    'x-forwarded-host': authority,
    'x-forwarded-port': `${port}`,
    'x-forwarded-proto': isSecure ? 'https' : 'http',
  };
}

/** The lines that are not about the connection. `without`: further names that are left out. */
export function endToEnd(rawHeaders: readonly string[], without: Names = NONE): HeaderLines {
  const named = new Set(valuesOf(rawHeaders, 'connection').flatMap((value) => value.toLowerCase().split(/\s*,\s*/)));
  const lines = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value] = [(rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? ''];
    // To many a program behind us (WSGI, PHP, CGI) `x_real_ip` and `x-real-ip` are one name.
    const read = name.replaceAll('_', '-');
    if (name.startsWith(':') || HOP_BY_HOP.has(name) || without.has(read) || named.has(name)) continue;
    const known = lines.get(name);
    if (known === undefined) lines.set(name, [value]);
    else known.push(value);
  }
  return Object.fromEntries([...lines].map(([name, values]) => [name, joined(name, values)]));
}

/** HTTP/2 takes cookies apart; HTTP/1.1 has one line of them (RFC 9113, 8.2.3). */
function joined(name: string, values: string[]): string | string[] {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return only;
  return name === 'cookie' ? values.join('; ') : values;
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const found: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) found.push(rawHeaders[at + 1] ?? '');
  }
  return found;
}
