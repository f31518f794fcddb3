/**
 * What servers make of the path of one request. Rules of Ingresses can name neither `//` nor `%2f` (the API refuses
 * both), so paths are compared without them: slashes in a row are one, and what is escaped is what it stands for. Of an
 * escaped slash, a backslash and parameters behind a semicolon some servers make a part of a name, and others no such
 * thing: such a path has several readings.
 */

/** What makes a path differ from its reading. */
// eslint-disable-next-line no-control-regex -- letters that are not ASCII are what is looked for
const SPECIAL = /%|\/\/|;|\\|[^\0-\x7f]/;
// eslint-disable-next-line no-control-regex -- as above
const NO_ASCII = /[^\0-\x7f]/gu;
const ESCAPE = /%([0-9a-f]{2})?/gi;
const ESCAPED_SLASH = /%2F/g;
const PARAMETERS = /;[^/]*/g;
const BACKSLASH = /\\/g;
const SLASHES = /\/{2,}/g;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;

/**
 * The readings of a request's path, each once, the plainest first. Undefined: by one of them the path goes up to where
 * it does not say that it goes (`/public/..%2fadmin`, `/public/..;/admin`), and nobody means that well.
 */
export function readingsOf(path: string): readonly string[] | undefined {
  if (!SPECIAL.test(path)) return [path];
  const plain = unescaped(path).replace(SLASHES, '/');
  const slashed = plain.replace(ESCAPED_SLASH, '/').replace(SLASHES, '/');
  const bare = slashed.replace(BACKSLASH, '/').replace(PARAMETERS, '').replace(SLASHES, '/');
  // Servers that take parameters off before they look at escapes end them at a slash that was said as such.
  const cut = plain.replace(PARAMETERS, '').replace(SLASHES, '/');
  const cutSlashed = cut.replace(ESCAPED_SLASH, '/').replace(SLASHES, '/');
  const readings = [...new Set([plain, slashed, bare, cut, cutSlashed])];
  return readings.some((reading) => DOT_SEGMENT.test(reading)) ? undefined : readings;
}

/** The readings that a rule's path stands for: an escaped slash of one that is left to the implementation is either. */
export function rulePaths(path: string): readonly string[] {
  // Requests say such letters in bytes of UTF-8.
  const plain = unescaped(path.replace(NO_ASCII, inBytes)).replace(SLASHES, '/');
  return [...new Set([plain, plain.replace(ESCAPED_SLASH, '/').replace(SLASHES, '/')])];
}

function inBytes(letter: string): string {
  return String.fromCharCode(...new TextEncoder().encode(letter));
}

/** Bytes as letters; a slash and the mark of escapes stay escaped, so that `%252f` is not taken for `%2f`. */
function unescaped(path: string): string {
  return path.replace(ESCAPE, (_escape, digits?: string) => {
    const letter = digits === undefined ? '%' : String.fromCharCode(Number.parseInt(digits, 16));
    return letter === '/' ? '%2F' : letter === '%' ? '%25' : letter;
  });
}
