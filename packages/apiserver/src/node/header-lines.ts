/**
 * Whether a header's name begins so (lower case). Asked of every request: nothing is made but for a name that begins
 * alike.
 */
export function hasNameLike(raw: readonly string[], prefix: string): boolean {
  const first = prefix.charCodeAt(0);
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    // A letter and its capital differ in one bit.
    if ((name.charCodeAt(0) | CASE_BIT) !== first) continue;
    if (name.slice(0, prefix.length).toLowerCase() === prefix) return true;
  }
  return false;
}

const CASE_BIT = 0x20;

/** Header lines, names in lower case, repeated ones apart. */
export type HeaderLines = Iterable<readonly [name: string, value: string]>;

/** Those whose names are not hidden. */
export function* shown(lines: HeaderLines, hides: (name: string) => boolean): Generator<readonly [string, string]> {
  for (const line of lines) if (!hides(line[0])) yield line;
}

/** Header lines by their names and values in turn, names in lower case. */
export function* linesOf(raw: readonly string[]): Generator<readonly [string, string]> {
  for (let i = 0; i + 1 < raw.length; i += 2) yield [(raw[i] ?? '').toLowerCase(), raw[i + 1] ?? ''];
}
