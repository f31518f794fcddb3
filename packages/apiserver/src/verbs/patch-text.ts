/** What is told of a strategic patch that makes no object: upstream shows the patch alone, as Go prints it. */

/** More than any message shows of a value. */
const SHOWN_MAX = 16_384;

/** A document as Go's `%v` prints it, as far as a message shows it: `map[spec:map[replicas:x]]`. */
export function goText(document: unknown): string {
  const parts: string[] = [];
  let length = 0;
  const write = (text: string): boolean => {
    parts.push(text);
    length += text.length;
    return length < SHOWN_MAX;
  };
  writeValue(document, write);
  return parts.join('');
}

/** False: enough is written. */
type Write = (text: string) => boolean;

function writeValue(value: unknown, write: Write): boolean {
  if (value === null || value === undefined) return write('<nil>');
  if (typeof value === 'string') return write(value);
  if (typeof value !== 'object') return write(JSON.stringify(value));
  if (Array.isArray(value))
    return writeParts(
      value.map((item: unknown) => ['', item] as const),
      { write, open: '[' },
    );
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return writeParts(
    entries.map(([name, member]) => [`${name}:`, member] as const),
    { write, open: 'map[' },
  );
}

function writeParts(
  parts: readonly (readonly [before: string, value: unknown])[],
  { write, open }: { readonly write: Write; readonly open: string },
): boolean {
  if (!write(open)) return false;
  for (const [at, [before, value]] of parts.entries()) {
    if (!write((at === 0 ? '' : ' ') + before) || !writeValue(value, write)) return false;
  }
  return write(']');
}

const UNMARSHAL = /^json: cannot unmarshal (\w+)(?: (\S+))? into Go (?:struct field \S+|value) of type (.+)$/;
const NUMBERS: ReadonlySet<string> = new Set(['int32', 'int64', 'float64']);
const PLAIN: ReadonlySet<string> = new Set([...NUMBERS, 'string', 'bool']);
const KINDS: { readonly [json: string]: string } = { array: 'slice', object: 'map', string: 'string', bool: 'bool' };

/** The mistake of a member as it is told where values are put into structs one by one, not read from text. */
export function restoreMistake(why: string): string {
  const [, json = '', number = '', type = ''] = UNMARSHAL.exec(why) ?? [];
  const kind = KINDS[json] ?? (number.includes('.') ? 'float64' : 'int64');
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (type.startsWith('map[')) return `cannot restore map from ${kind}`;
  // A type with a name of its own is a struct or a text; a text would have done for the latter.
  if (!PLAIN.has(type)) return kind === 'string' && json !== '' ? 'cannot restore struct from: string' : why;
  if (json !== 'number' || !NUMBERS.has(type)) return `unrecognized type: ${type}`;
  return kind === 'float64' ? `cannot convert float64 to ${type}` : why;
}
