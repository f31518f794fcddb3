/** What a request line asks for: `path` without dot segments and needless escapes, `query` with its mark. */
export interface RequestTarget {
  /** Of the absolute form, which proxies are asked by; wins over the Host header (RFC 9112, 3.2.2). */
  readonly authority?: string;
  readonly path: string;
  readonly query: string;
}

const ABSOLUTE = /^https?:\/\/([^/?]*)/i;
const ESCAPE = /%([0-9a-f]{2})/gi;
const UNRESERVED = /[\w.~-]/;
/** HTTP/1.1 ends a target at a space, and a line at others of these; a name of a file ends at a nought. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSAYABLE = /[\0-\x20\x7f]|%00/;
/** RFC 3986, 3.2: a name or an address, and a port in figures. */
const AUTHORITY = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d{0,5})?$/i;

/**
 * Reads the target of a request. The path is passed on in a normal form, so that `/a/../admin` and `/%61dmin` are what
 * rules took them for; path-readings.ts says what else it might be. Undefined: no target that anybody may ask for.
 */
export function readTarget(target: string): RequestTarget | undefined {
  const [whole, authority] = ABSOLUTE.exec(target) ?? [''];
  const rest = target.slice(whole.length);
  const mark = rest.indexOf('?');
  const path = (mark === -1 ? rest : rest.slice(0, mark)) || (whole === '' ? '' : '/');
  if (!path.startsWith('/') || path.includes('\\') || target.includes('#') || UNSAYABLE.test(target)) return undefined;
  return {
    ...(authority === undefined ? {} : { authority }),
    path: normalPath(path),
    query: mark === -1 ? '' : rest.slice(mark),
  };
}

/** RFC 3986, 6.2.2: what need not be escaped is not, and dot segments are gone. */
export function normalPath(path: string): string {
  const plain = path.includes('%') ? path.replace(ESCAPE, unescaped) : path;
  return plain.includes('/.') ? withoutDots(plain) : plain;
}

function unescaped(escape: string, digits: string): string {
  const letter = String.fromCharCode(Number.parseInt(digits, 16));
  return UNRESERVED.test(letter) ? letter : escape.toUpperCase();
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.slice(1).split('/');
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  const last = segments.at(-1);
  const isFolder = (last === '.' || last === '..') && kept.length > 0;
  return `/${kept.join('/')}${isFolder ? '/' : ''}`;
}

/** The host of an authority as rules name it: lower case, no port, no last dot; empty where it is none. */
export function hostOf(authority: string): string {
  const [, host = ''] = AUTHORITY.exec(authority) ?? [];
  return (host.endsWith('.') ? host.slice(0, -1) : host).toLowerCase();
}
