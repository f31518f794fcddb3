/** Texts and bytes as they are written: four sorts of quotes, raw or with escapes. */
import { CompileError, unrecognised } from '../errors.ts';

const PREFIX = /([rRbB]{0,2})("""|'''|"|')/y;
const PLAIN_ESCAPES = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
  ["'", 39],
  ['"', 34],
  ['`', 96],
  ['?', 63],
]);
/** Letters after a backslash, and how many hexadecimal digits follow. */
const HEX_ESCAPES = new Map([
  ['x', 2],
  ['X', 2],
  ['u', 4],
  ['U', 8],
]);

/** A text or bytes that begin here, if they do; where they end. Throws CompileError. */
export function readString(source: string, at: number): { value: string | Uint8Array; end: number } | undefined {
  PREFIX.lastIndex = at;
  const found = PREFIX.exec(source);
  if (found === null) return undefined;
  const [, prefix = '', quote = ''] = found;
  const letters = prefix.toLowerCase();
  if (letters === 'rr' || letters === 'bb') return undefined;
  const isRaw = letters.includes('r');
  const from = PREFIX.lastIndex;
  const end = closing(source, { from, quote, isRaw });
  if (end === undefined) throw unrecognised(source, at, source.slice(at));
  const body = source.slice(from, end).replaceAll(/\r\n?/g, '\n');
  const isBytes = letters.includes('b');
  const place = { source, at, isBytes };
  const value = isBytes ? bytesOf(body, isRaw, place) : textOf(body, isRaw, place);
  return { value, end: end + quote.length };
}

function closing(
  source: string,
  { from, quote, isRaw }: { from: number; quote: string; isRaw: boolean },
): number | undefined {
  for (let at = from; at < source.length; at++) {
    const char = source[at];
    if (char === '\\' && !isRaw) at++;
    else if (source.startsWith(quote, at)) return at;
    else if (quote.length === 1 && (char === '\n' || char === '\r')) return undefined;
  }
  return undefined;
}

interface Place {
  readonly source: string;
  readonly at: number;
  readonly isBytes: boolean;
}

function textOf(body: string, isRaw: boolean, place: Place): string {
  if (isRaw || !body.includes('\\')) return body;
  const parts: string[] = [];
  eachPart(body, place, (part) => parts.push(typeof part === 'string' ? part : String.fromCodePoint(part)));
  return parts.join('');
}

function bytesOf(body: string, isRaw: boolean, place: Place): Uint8Array {
  const encoder = new TextEncoder();
  if (isRaw) return encoder.encode(body);
  const bytes: number[] = [];
  eachPart(body, place, (part) => {
    if (typeof part === 'number') bytes.push(part);
    else for (const byte of encoder.encode(part)) bytes.push(byte);
  });
  return Uint8Array.from(bytes);
}

/** Stretches without escapes as they are, escapes as the number they stand for. */
function eachPart(body: string, place: Place, take: (part: string | number) => void): void {
  let from = 0;
  for (let at = body.indexOf('\\'); at !== -1; at = body.indexOf('\\', from)) {
    if (at > from) take(body.slice(from, at));
    const { code, length } = escapeAt(body, at + 1, place);
    take(code);
    from = at + 1 + length;
  }
  if (from < body.length) take(body.slice(from));
}

function escapeAt(body: string, at: number, place: Place): { code: number; length: number } {
  const letter = body[at] ?? '';
  const plain = PLAIN_ESCAPES.get(letter);
  if (plain !== undefined) return { code: plain, length: 1 };
  const digits = HEX_ESCAPES.get(letter);
  const octal = /^[0-3][0-7]{2}/.exec(body.slice(at, at + 3));
  if (octal !== null) return { code: Number.parseInt(octal[0], 8), length: 3 };
  const hex = digits === undefined ? '' : body.slice(at + 1, at + 1 + digits);
  const isUnicode = letter === 'u' || letter === 'U';
  if (digits === undefined || hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex) || (isUnicode && place.isBytes)) {
    throw wrongEscape(place);
  }
  const code = Number.parseInt(hex, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw wrongEscape(place);
  return { code, length: 1 + digits };
}

function wrongEscape({ source, at }: Place): CompileError {
  return new CompileError(source, [{ at, message: 'Syntax error: invalid escape sequence' }]);
}
