/** The words of an expression. One pass, in time proportional to the source. */
import { unrecognised } from '../errors.ts';
import { readNumber } from './numbers.ts';
import { readString } from './strings.ts';
import type { Literal } from './tree.ts';

export interface Token {
  readonly kind: 'literal' | 'name' | 'quoted-name' | 'sign' | 'end';
  readonly at: number;
  readonly end: number;
  /** A sign or a name as written. */
  readonly text: string;
  readonly value?: Literal;
}

const SIGNS_OF_TWO = new Set(['==', '!=', '<=', '>=', '&&', '||', '.?', '[?']);
const SIGNS_OF_ONE = new Set('+-*/%<>!?:.,()[]{}');
const CONSTANTS = new Map<string, Literal>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Splits a source into tokens; the last is `end`. Throws CompileError. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skipBlank(source, 0);
  while (at < source.length) {
    const token = tokenAt(source, at);
    tokens.push(token);
    at = skipBlank(source, token.end);
  }
  tokens.push({ kind: 'end', at: source.length, end: source.length, text: '<EOF>' });
  return tokens;
}

function skipBlank(source: string, from: number): number {
  let at = from;
  for (;;) {
    const char = source[at];
    if (char === ' ' || char === '\t' || char === '\n' || char === '\r' || char === '\f') at++;
    else if (char === '/' && source[at + 1] === '/') {
      const end = source.indexOf('\n', at);
      at = end === -1 ? source.length : end;
    } else return at;
  }
}

function tokenAt(source: string, at: number): Token {
  const text = readString(source, at);
  if (text !== undefined)
    return { kind: 'literal', at, end: text.end, text: source.slice(at, text.end), value: text.value };
  const number = readNumber(source, at);
  if (number !== undefined)
    return { kind: 'literal', at, end: number.end, text: source.slice(at, number.end), value: number.value };
  if (isNameStart(source.charCodeAt(at))) return wordAt(source, at);
  if (source[at] === '`') return quotedNameAt(source, at);
  const two = source.slice(at, at + 2);
  if (SIGNS_OF_TWO.has(two)) return { kind: 'sign', at, end: at + 2, text: two };
  const one = source[at] ?? '';
  if (SIGNS_OF_ONE.has(one)) return { kind: 'sign', at, end: at + 1, text: one };
  throw unrecognised(source, at, one);
}

function wordAt(source: string, at: number): Token {
  let end = at + 1;
  while (isNamePart(source.charCodeAt(end))) end++;
  const text = source.slice(at, end);
  const constant = CONSTANTS.get(text);
  if (constant !== undefined) return { kind: 'literal', at, end, text, value: constant };
  return { kind: text === 'in' ? 'sign' : 'name', at, end, text };
}

/** A field whose name is no identifier: `` a.`b-c` ``. */
function quotedNameAt(source: string, at: number): Token {
  let end = at + 1;
  while (isNamePart(source.charCodeAt(end)) || '.-/ '.includes(source[end] ?? '\0')) end++;
  if (source[end] !== '`' || end === at + 1) throw unrecognised(source, at, '`');
  return { kind: 'quoted-name', at, end: end + 1, text: source.slice(at + 1, end) };
}

function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 48 && code <= 57);
}
