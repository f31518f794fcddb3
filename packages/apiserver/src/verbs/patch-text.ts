/** What is told of a strategic patch that makes no object. */

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
