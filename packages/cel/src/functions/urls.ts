/** URLs with a scheme or a path, as Go's net/url reads them. */
import { SAME_SIZE, walk } from '../cost/rules.ts';
import { EvaluationError } from '../errors.ts';
import { CelMap, LibraryValue } from '../values.ts';
import type { Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';

const TYPE = 'kubernetes.URL';

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

class UrlValue extends LibraryValue {
  override readonly typeName = TYPE;
  readonly text: string;
  readonly parts: Parts;

  constructor(text: string, parts: Parts) {
    super();
    this.text = text;
    this.parts = parts;
  }

  override isEqualTo(other: LibraryValue): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }
}

/** Reads an absolute URL or an absolute path. Throws EvaluationError. */
export function readUrl(text: string): UrlValue {
  const fail = (why: string): EvaluationError =>
    new EvaluationError(
      `URL parse error during conversion from string: parse ${JSON.stringify(text.slice(0, 200))}: ${why}`,
    );
  if (text === '') throw fail('empty url');
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code === 127) throw fail('net/url: invalid control character in URL');
  }
  const [whole = ''] = text.split('#', 1);
  const [, scheme = '', rest = whole] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/.exec(whole) ?? [];
  if (scheme === '' && whole.startsWith(':')) throw fail('missing protocol scheme');
  if (scheme === '' && !rest.startsWith('/')) throw fail('invalid URI for request');
  const [before = '', ...queries] = rest.split('?');
  const hasHost = before.startsWith('//') && (scheme !== '' || !before.startsWith('///'));
  const slash = hasHost ? before.indexOf('/', 2) : 0;
  const authority = hasHost ? before.slice(2, slash === -1 ? undefined : slash) : '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const path = hasHost ? (slash === -1 ? '' : before.slice(slash)) : before;
  const why = wrongHost(host) ?? wrongEscape(path);
  if (why !== undefined) throw fail(why);
  return new UrlValue(text, { scheme: scheme.toLowerCase(), host, path, query: queries.join('?') });
}

function wrongHost(host: string): string | undefined {
  const closing = host.lastIndexOf(']');
  if (host.startsWith('[') && closing === -1) return "missing ']' in host";
  const port = host.slice(host.startsWith('[') ? closing + 1 : Math.max(0, host.indexOf(':')));
  if (port.startsWith(':') && !/^:\d*$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const odd = /[\s"<>\\^`{|}]/.exec(host);
  return odd === null ? undefined : `invalid character ${JSON.stringify(odd[0])} in host name`;
}

function wrongEscape(path: string): string | undefined {
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path);
  return wrong === null ? undefined : `invalid URL escape ${JSON.stringify(wrong[0])}`;
}

function isUrl(text: string): boolean {
  try {
    readUrl(text);
    return true;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return false;
  }
}

/** The host without its port and without brackets, and the port. */
function splitHost(host: string): { name: string; port: string } {
  const colon = host.lastIndexOf(':');
  const hasPort = colon > host.lastIndexOf(']');
  const name = hasPort ? host.slice(0, colon) : host;
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  return { name: bare, port: hasPort ? host.slice(colon + 1) : '' };
}

/** What may stand in a path as it is; a byte of anything else is escaped. */
function escapedPath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9\-_.~!$&'()*+,;=:@/%[\]]+/gu, (odd) => encodeURIComponent(odd.toWellFormed()));
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function readQuery(query: string): CelMap {
  const found = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const cut = pair.indexOf('=');
    const key = unescaped(cut === -1 ? pair : pair.slice(0, cut));
    const value = unescaped(cut === -1 ? '' : pair.slice(cut + 1));
    if (key === undefined || value === undefined) continue;
    const known = found.get(key);
    if (known === undefined) found.set(key, [value]);
    else known.push(value);
  }
  return new CelMap(found);
}

const parts = (value: Value | undefined): Parts => (value as UrlValue).parts;

export const URLS: readonly Overload[] = [
  overload(`url(string): ${TYPE}`, ([text]) => readUrl(text as string), walk({ size: SAME_SIZE })),
  overload('isURL(string): bool', ([text], meter) => {
    meter.work((text as string).length);
    return isUrl(text as string);
  }),
  overload(`[${TYPE}].getScheme(): string`, ([url]) => parts(url).scheme),
  overload(`[${TYPE}].getHost(): string`, ([url]) => parts(url).host),
  overload(`[${TYPE}].getHostname(): string`, ([url]) => splitHost(parts(url).host).name),
  overload(`[${TYPE}].getPort(): string`, ([url]) => splitHost(parts(url).host).port),
  overload(`[${TYPE}].getEscapedPath(): string`, ([url]) => escapedPath(parts(url).path)),
  overload(`[${TYPE}].getQuery(): map(string, list(string))`, ([url]) => readQuery(parts(url).query)),
];
