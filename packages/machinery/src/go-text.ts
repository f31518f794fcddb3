/** Documents as Go prints them in messages. */
import { exactDigits } from './int64.ts';
import { isObject } from './schema/member.ts';

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
  const digits = exactDigits(value);
  if (digits !== undefined) return write(digits);
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

/** A document as Go's `%#v` prints it, as far as a message shows it: `[]interface {}{1, "a"}`. */
export function goSyntax(document: unknown): string {
  if (document === null || document === undefined) return 'interface {}(nil)';
  if (typeof document !== 'object') return JSON.stringify(document);
  if (!Array.isArray(document) && !isObject(document)) return goText(document);
  return `${goTypeName(document)}{${membersOf(document)}}`;
}

/** Some of the members: each is shown shortly, so that nobody is told back all that was sent. */
const MEMBERS_MAX = 16;

function membersOf(value: object): string {
  const texts = Object.entries(value)
    .slice(0, MEMBERS_MAX)
    .map(([name, member]) => {
      const text = typeof member === 'object' && member !== null ? goText(member) : goSyntax(member);
      return Array.isArray(value) ? text : `${JSON.stringify(name)}:${text}`;
    });
  return texts.join(', ');
}

/** The Go type that a decoded JSON value has. */
export function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'string') return 'string';
  return value === null || value === undefined ? '<nil>' : 'map[string]interface {}';
}

/** As Go's `%g` writes a double: with an exponent below -4 and from a million on. */
export function goDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return plainDecimal(value);
  const sign = power < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text;
}
