/** Where in a YAML text somebody writes. */
export interface YamlPlace {
  /** Keys from the root to what holds the place; `[]`: an item of a list. */
  readonly path: readonly string[];
  /** At a key, or at the value of `key`. */
  readonly at: 'key' | 'value';
  /** What is written of it so far, or the whole word where the place is inside of one. */
  readonly word: string;
  readonly key: string;
  /** Keys that the same map has already. */
  readonly siblings: readonly string[];
  /** The column of the key. */
  readonly column: number;
}

const ITEM = '[]';
const LINES_MAX = 20_000;

interface Line {
  /** Columns of the dashes before the key. */
  readonly dashes: readonly number[];
  readonly column: number;
  readonly key: string | undefined;
  /** What stands behind the colon; of a line without a key, all of it. */
  readonly rest: string;
  readonly isEmpty: boolean;
}

/** The place at an offset of a text; undefined: in a comment, or too far down. By indentation alone, whatever is half written. */
export function placeAt(text: string, offset: number): YamlPlace | undefined {
  const before = text.slice(0, offset).split('\n');
  if (before.length > LINES_MAX) return undefined;
  const written = before.at(-1) ?? '';
  if (written.trimStart().startsWith('#')) return undefined;
  const above = lastDocument(before.slice(0, -1)).map(readLine);
  const current = readLine(written);
  const below = thisDocument(text.slice(offset).split('\n').slice(1, LINES_MAX)).map(readLine);
  const path = pathTo(above, current);
  const isValue = current.key !== undefined;
  return {
    path: isValue ? [...path, current.key ?? ''] : path,
    at: isValue ? 'value' : 'key',
    word: current.rest.trim(),
    key: current.key ?? current.rest.trim(),
    siblings: isValue ? [] : siblingsOf(above, current, below),
    column: current.column,
  };
}

function lastDocument(lines: readonly string[]): readonly string[] {
  return lines.slice(lines.findLastIndex((line) => line.startsWith('---')) + 1);
}

function thisDocument(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => line.startsWith('---'));
  return end === -1 ? lines : lines.slice(0, end);
}

function readLine(text: string): Line {
  let column = text.length - text.trimStart().length;
  const dashes: number[] = [];
  while (/^-(?:\s|$)/.test(text.slice(column))) {
    dashes.push(column);
    const rest = text.slice(column + 1);
    column += 1 + (rest.length - rest.trimStart().length);
  }
  const rest = text.slice(column);
  const colon = rest.search(/:(?:\s|$)/);
  const isEmpty = (rest.trim() === '' && dashes.length === 0) || rest.startsWith('#');
  if (colon <= 0 || isEmpty) return { dashes, column, key: undefined, rest, isEmpty };
  const key = rest.slice(0, colon).replaceAll(/^["']|["']$/g, '');
  return { dashes, column, key, rest: rest.slice(colon + 1), isEmpty };
}

/** Upwards from a line to the root: what is less indented holds it. */
function pathTo(above: readonly Line[], current: Line): readonly string[] {
  const path: string[] = [];
  let limit = current.column;
  // A list may stand as far left as the key that holds it.
  let isItem = false;
  const climb = (dashes: readonly number[]): void => {
    for (const column of dashes.toReversed()) {
      if (column >= limit && !(column === limit && isItem)) continue;
      path.unshift(ITEM);
      limit = column;
      isItem = true;
    }
  };
  climb(current.dashes);
  for (const line of above.toReversed()) {
    if (limit === 0 && !isItem) break;
    if (line.isEmpty) continue;
    if (
      line.key !== undefined &&
      (line.column < limit || (line.column === limit && isItem && line.dashes.length === 0))
    ) {
      path.unshift(line.key);
      limit = line.column;
      isItem = false;
    }
    if (!isItem) climb(line.dashes);
  }
  return path;
}

function siblingsOf(above: readonly Line[], current: Line, below: readonly Line[]): readonly string[] {
  const found: string[] = [];
  const take = (lines: readonly Line[], isDown: boolean): void => {
    for (const line of lines) {
      if (line.isEmpty) continue;
      const start = line.dashes[0] ?? line.column;
      if (isDown && start < current.column) return;
      if (line.column === current.column && line.key !== undefined) found.push(line.key);
      if (start < current.column) return;
    }
  };
  if (current.dashes.length === 0) take(above.toReversed(), false);
  take(below, true);
  return found;
}
