/**
 * Reads an expression into a tree by the grammar of the CEL specification. Bounded: the length of the source, and how
 * deep the tree is, so that nothing that walks it can run out of stack.
 */
import { CompileError } from '../errors.ts';
import { MacroMistake } from './macros.ts';
import type { Macros } from './macros.ts';
import { tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';
import { callNode, grow, literalNode, nameNode } from './tree.ts';
import type { MapEntry, Node, StructField } from './tree.ts';
import { Uint } from '../values.ts';

/** cel-go's limits. */
const CODE_POINTS_MAX = 100_000;
const DEPTH_MAX = 250;
const INT_MAX = 2n ** 63n - 1n;

const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
/** From the loosest to the tightest. */
const BINARY: readonly ReadonlySet<string>[] = [
  new Set(['==', '!=', '<', '<=', '>', '>=', 'in']),
  new Set(['+', '-']),
  new Set(['*', '/', '%']),
];

/** Reads a source. Throws CompileError. */
export function parse(source: string, macros: Macros): Node {
  if (source.length > CODE_POINTS_MAX) {
    const size = Array.from(source).length;
    if (size > CODE_POINTS_MAX) {
      throw new CompileError('', [
        { at: 0, message: `expression code point size exceeds limit: size: ${size}, limit ${CODE_POINTS_MAX}` },
      ]);
    }
  }
  const reader = new Reader(source, macros);
  return reader.whole();
}

class Reader {
  readonly #source: string;
  readonly #macros: Macros;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(source: string, macros: Macros) {
    this.#source = source;
    this.#macros = macros;
    this.#tokens = tokenize(source);
  }

  whole(): Node {
    const node = this.#expression();
    const rest = this.#peek();
    if (rest.kind !== 'end') throw this.#unexpected(rest, '<EOF>');
    return node;
  }

  #expression(): Node {
    if (++this.#depth > DEPTH_MAX) throw this.#tooDeep();
    const test = this.#junction('||');
    const mark = this.#peek();
    let node = test;
    if (this.#take('?')) {
      const yes = this.#junction('||');
      this.#want(':');
      node = this.#grown(callNode(mark.at, '_?_:_', [test, yes, this.#expression()]));
    }
    this.#depth--;
    return node;
  }

  /** A chain of `||` or `&&`, made into a tree as flat as it can be. */
  #junction(sign: '||' | '&&'): Node {
    const part = (): Node => (sign === '||' ? this.#junction('&&') : this.#binary(0));
    const terms = [part()];
    const signs: number[] = [];
    for (let at = this.#peek().at; this.#take(sign); at = this.#peek().at) {
      signs.push(at);
      terms.push(part());
    }
    return this.#grown(balanced(sign, terms, signs));
  }

  #binary(level: number): Node {
    const operators = BINARY[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (let token = this.#peek(); token.kind === 'sign' && operators.has(token.text); token = this.#peek()) {
      this.#next++;
      const right = this.#binary(level + 1);
      left = this.#grown(callNode(token.at, token.text === 'in' ? '@in' : `_${token.text}_`, [left, right]));
    }
    return left;
  }

  #unary(): Node {
    const { at, text } = this.#peek();
    if (this.#peek().kind !== 'sign' || (text !== '!' && text !== '-')) return this.#member(this.#primary());
    let count = 0;
    while (this.#take(text)) count++;
    const number = this.#peek().value;
    if (text === '-' && (typeof number === 'bigint' || typeof number === 'number')) {
      this.#next++;
      count--;
      const negative = this.#member(literalNode(at, -number));
      return count % 2 === 0 ? negative : this.#grown(callNode(at, '-_', [negative]));
    }
    const operand = this.#member(this.#primary());
    return count % 2 === 0 ? operand : this.#grown(callNode(at, `${text}_`, [operand]));
  }

  #member(start: Node): Node {
    let node = start;
    for (;;) {
      const { at } = this.#peek();
      if (this.#take('.')) node = this.#selected(node, at);
      else if (this.#take('.?')) node = callNode(at, '_?._', [node, literalNode(this.#peek().at, this.#fieldName())]);
      else if (this.#take('[')) node = this.#indexed(node, '_[_]', at);
      else if (this.#take('[?')) node = this.#indexed(node, '_[?_]', at);
      else if (this.#peek().text === '{' && this.#peek().kind === 'sign') {
        const name = pathOf(node);
        if (name === undefined) return node;
        this.#next++;
        node = this.#struct(name, at);
      } else return node;
      this.#grown(node);
    }
  }

  #indexed(node: Node, operator: string, at: number): Node {
    const index = this.#expression();
    this.#want(']');
    return callNode(at, operator, [node, index]);
  }

  #selected(operand: Node, at: number): Node {
    const isQuoted = this.#peek().kind === 'quoted-name';
    const field = this.#fieldName();
    const open = this.#peek();
    if (isQuoted || !this.#take('(')) return grow({ kind: 'select', at, operand, field, isTest: false });
    const args = this.#expressions(')');
    return (
      this.#expanded({ name: field, at: open.at, target: operand, args }) ??
      grow({ kind: 'call', at: open.at, name: field, target: operand, args })
    );
  }

  #fieldName(): string {
    const token = this.#peek();
    if (token.kind !== 'name' && token.kind !== 'quoted-name') {
      throw this.#syntaxError(token.at, `no viable alternative at input '.${token.kind === 'end' ? '' : token.text}'`);
    }
    this.#next++;
    return token.text;
  }

  #primary(): Node {
    const token = this.#peek();
    if (token.kind === 'literal') return this.#literal(token);
    if (token.kind === 'name') return this.#named('');
    if (token.kind === 'sign') {
      if (this.#take('.')) return this.#named('.');
      if (this.#take('(')) return this.#parenthesised();
      if (this.#take('[')) return this.#list(token.at);
      if (this.#take('[?')) return this.#list(token.at, true);
      if (this.#take('{')) return this.#map(token.at);
    }
    throw this.#unexpected(token, OPERAND);
  }

  #literal(token: Token): Node {
    this.#next++;
    const value = token.value ?? null;
    if (typeof value === 'bigint' && value > INT_MAX) throw this.#syntaxError(token.at, 'invalid int literal');
    return literalNode(token.at, value);
  }

  #parenthesised(): Node {
    const inner = this.#expression();
    this.#want(')');
    return inner;
  }

  #named(dot: '' | '.'): Node {
    const token = this.#peek();
    if (token.kind !== 'name') throw this.#unexpected(token, 'IDENTIFIER');
    this.#next++;
    if (RESERVED.has(token.text)) {
      throw new CompileError(this.#source, [
        { at: token.at, message: `Syntax error: reserved identifier: ${token.text}` },
      ]);
    }
    const name = dot + token.text;
    const open = this.#peek();
    if (!this.#take('(')) return nameNode(token.at, name);
    const args = this.#expressions(')');
    return this.#expanded({ name, at: open.at, target: undefined, args }) ?? callNode(open.at, name, args);
  }

  #expanded(use: { name: string; at: number; target: Node | undefined; args: readonly Node[] }): Node | undefined {
    const key = `${use.target === undefined ? '' : '.'}${use.name}/${use.args.length}`;
    try {
      return this.#macros.get(key)?.(use);
    } catch (mistake) {
      if (!(mistake instanceof MacroMistake)) throw mistake;
      throw new CompileError(this.#source, [{ at: mistake.at, message: mistake.message }]);
    }
  }

  #expressions(close: string): readonly Node[] {
    const found: Node[] = [];
    if (this.#take(close)) return found;
    do found.push(this.#expression());
    while (this.#take(','));
    this.#want(close);
    return found;
  }

  #list(at: number, isFirstOptional = false): Node {
    const items: Node[] = [];
    const optional = new Set<number>();
    let isOptional = isFirstOptional;
    while (isOptional || !this.#take(']')) {
      if (isOptional || this.#take('?')) optional.add(items.length);
      isOptional = false;
      items.push(this.#expression());
      if (!this.#take(',')) {
        this.#want(']');
        break;
      }
    }
    return this.#grown(grow({ kind: 'list', at, items, optional }));
  }

  #map(at: number): Node {
    const entries: MapEntry[] = [];
    this.#entries(() => {
      const isOptional = this.#take('?');
      const key = this.#expression();
      this.#want(':');
      entries.push({ key, value: this.#expression(), isOptional });
    });
    return this.#grown(grow({ kind: 'map', at, entries }));
  }

  #struct(name: string, at: number): Node {
    const fields: StructField[] = [];
    this.#entries(() => {
      const isOptional = this.#take('?');
      const field = this.#fieldName();
      const { at: colon } = this.#peek();
      this.#want(':');
      fields.push({ at: colon, name: field, value: this.#expression(), isOptional });
    });
    return this.#grown(grow({ kind: 'struct', at, name, fields }));
  }

  #entries(entry: () => void): void {
    while (!this.#take('}')) {
      entry();
      if (this.#take(',')) continue;
      this.#want('}');
      return;
    }
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(sign: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'sign' || token.text !== sign) return false;
    this.#next++;
    return true;
  }

  #want(sign: string): void {
    if (!this.#take(sign)) throw this.#unexpected(this.#peek(), `'${sign}'`);
  }

  #grown(node: Node): Node {
    if (node.depth > DEPTH_MAX) throw this.#tooDeep();
    return node;
  }

  #tooDeep(): CompileError {
    return new CompileError(this.#source, [{ at: 0, message: `expression recursion limit exceeded: ${DEPTH_MAX}` }]);
  }

  #unexpected(token: Token, wanted: string): CompileError {
    return this.#syntaxError(token.at, `mismatched input '${token.text}' expecting ${wanted}`);
  }

  #syntaxError(at: number, message: string): CompileError {
    return new CompileError(this.#source, [{ at, message: `Syntax error: ${message}` }]);
  }
}

function balanced(sign: string, terms: readonly Node[], signs: readonly number[]): Node {
  const [first] = terms;
  if (terms.length === 1 && first !== undefined) return first;
  const middle = (terms.length / 2) | 0;
  const left = balanced(sign, terms.slice(0, middle), signs.slice(0, middle - 1));
  const right = balanced(sign, terms.slice(middle), signs.slice(middle));
  return callNode(signs[middle - 1] ?? 0, `_${sign}_`, [left, right]);
}

/** `a.b.c` as a path; undefined for anything else. */
export function pathOf(node: Node): string | undefined {
  if (node.kind === 'name') return node.name;
  if (node.kind !== 'select' || node.isTest) return undefined;
  const before = pathOf(node.operand);
  return before === undefined ? undefined : `${before}.${node.field}`;
}

/** Whether a literal is an unsigned integer. */
export function isUnsigned(value: unknown): value is Uint {
  return value instanceof Uint;
}
