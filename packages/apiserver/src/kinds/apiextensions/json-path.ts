/**
 * The JSONPath of Kubernetes, as columns of custom kinds use it: fields, items, slices, wildcards, descent and filters
 * that compare with a literal. What is looked at is bounded, whatever path and object are.
 */
import { memberOf } from '@binnacle/machinery';

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number; readonly by?: number }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'descend' }
  | { readonly kind: 'union'; readonly of: readonly Step[] }
  | { readonly kind: 'filter'; readonly test: Filter };

interface Filter {
  readonly left: Operand;
  readonly operator: string;
  readonly right: Operand | undefined;
}

type Operand = { readonly path: readonly Step[] } | { readonly literal: string | number | boolean };

/** A path, ready to be looked up in any number of objects. */
export interface JsonPath {
  /** What it finds, in document order; nothing where a member is missing. */
  find(root: unknown): readonly unknown[];
}

/** More values than this are not looked at for one path. */
const VISITED_MAX = 10_000;
const PATH_MAX = 4096;

/** Reads a path such as `.status.conditions[?(@.type=="Ready")].status`; undefined for one that cannot be read. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (text.length > PATH_MAX) return undefined;
  const inner = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  const reader = new Reader(inner.startsWith('$') ? inner.slice(1) : inner);
  const steps = reader.steps();
  if (steps === undefined || !reader.isAtEnd) return undefined;
  return { find: (root) => evaluate([root], steps, { left: VISITED_MAX }) };
}

const NAME = /(?:\\.|[^.[\]()'"\s=<>!?,:@{}|&\\])+/y;
const NUMBER = /-?\d+(?:\.\d+)?/y;
const TEXT = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/y;
const OPERATOR = /==|!=|<=|>=|<|>/y;
const SPACE = /\s*/y;
const SLICE = /(-?\d+)?:(-?\d+)?(?::(-?\d+))?/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** As many steps as there are; undefined where one cannot be read. */
  steps(): readonly Step[] | undefined {
    const steps: Step[] = [];
    for (;;) {
      if (this.#take('..')) {
        steps.push({ kind: 'descend' });
        if (this.#text[this.#at] === '[') continue;
        const step = this.#name();
        if (step === undefined) return undefined;
        steps.push(step);
      } else if (this.#take('.')) {
        if (this.isAtEnd && steps.length === 0) return steps;
        if (this.#text[this.#at] === '[') continue;
        const step = this.#name();
        if (step === undefined) return undefined;
        steps.push(step);
      } else if (this.#take('[')) {
        const step = this.#bracket();
        if (step === undefined || !this.#take(']')) return undefined;
        steps.push(step);
      } else return steps;
    }
  }

  #name(): Step | undefined {
    if (this.#take('*')) return { kind: 'all' };
    const name = this.#match(NAME);
    return name === undefined ? undefined : { kind: 'field', name: name.replace(/\\(.)/g, '$1') };
  }

  #bracket(): Step | undefined {
    if (this.#take('*')) return { kind: 'all' };
    if (this.#take('?(')) return this.#filter();
    const steps: Step[] = [];
    do {
      this.#match(SPACE);
      const step = this.#selector();
      if (step === undefined) return undefined;
      steps.push(step);
      this.#match(SPACE);
    } while (this.#take(','));
    const [first] = steps;
    return steps.length === 1 ? first : { kind: 'union', of: steps };
  }

  #selector(): Step | undefined {
    const text = this.#match(TEXT);
    if (text !== undefined) return { kind: 'field', name: unquoted(text) };
    SLICE.lastIndex = this.#at;
    const slice = SLICE.exec(this.#text);
    if (slice !== null) {
      this.#at += slice[0].length;
      const [from, to, by] = slice
        .slice(1)
        .map((part: string | undefined) => (part === undefined ? part : Number(part)));
      return {
        kind: 'slice',
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(by === undefined ? {} : { by }),
      };
    }
    const number = this.#match(NUMBER);
    return number === undefined || number.includes('.') ? undefined : { kind: 'index', at: Number(number) };
  }

  #filter(): Step | undefined {
    const left = this.#operand();
    if (left === undefined) return undefined;
    this.#match(SPACE);
    const operator = this.#match(OPERATOR) ?? '';
    const right = operator === '' ? undefined : this.#operand();
    this.#match(SPACE);
    if ((operator !== '' && right === undefined) || !this.#take(')')) return undefined;
    return { kind: 'filter', test: { left, operator, right } };
  }

  #operand(): Operand | undefined {
    this.#match(SPACE);
    if (this.#take('@')) {
      const path = this.steps();
      return path === undefined ? undefined : { path };
    }
    const text = this.#match(TEXT);
    if (text !== undefined) return { literal: unquoted(text) };
    const number = this.#match(NUMBER);
    if (number !== undefined) return { literal: Number(number) };
    if (this.#take('true')) return { literal: true };
    return this.#take('false') ? { literal: false } : undefined;
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found;
  }
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}

interface Budget {
  left: number;
}

function evaluate(values: readonly unknown[], steps: readonly Step[], budget: Budget): readonly unknown[] {
  let found = values;
  for (const step of steps) {
    const next: unknown[] = [];
    for (const value of found) {
      if (budget.left <= 0) return next;
      for (const one of applyStep(value, step, budget)) {
        budget.left--;
        next.push(one);
      }
    }
    found = next;
  }
  return found;
}

function applyStep(value: unknown, step: Step, budget: Budget): readonly unknown[] {
  switch (step.kind) {
    case 'field':
      return fieldOf(value, step.name);
    case 'all':
      return childrenOf(value);
    case 'index': {
      if (!Array.isArray(value)) return [];
      const at = step.at < 0 ? value.length + step.at : step.at;
      return at in value ? [value[at] as unknown] : [];
    }
    case 'slice':
      return Array.isArray(value) ? sliced(value, step) : [];
    case 'union':
      return unionOf(value, step.of, budget);
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => passes(item, step.test, budget)) : [];
    case 'descend':
      return descendants(value, budget);
  }
}

/** What all of them find, each item once for each: a thousand slices of one list are a thousand lists. */
function unionOf(value: unknown, steps: readonly Step[], budget: Budget): readonly unknown[] {
  const found: unknown[] = [];
  for (const step of steps) {
    if (found.length >= budget.left) break;
    for (const one of applyStep(value, step, budget)) found.push(one);
  }
  return found;
}

function fieldOf(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const member = memberOf(value as { readonly [key: string]: unknown }, name);
  return member === undefined ? [] : [member];
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function sliced(
  items: readonly unknown[],
  { from = 0, to = items.length, by = 1 }: Step & { kind: 'slice' },
): unknown[] {
  if (by <= 0) return [];
  return items.slice(from, to).filter((_, at) => at % by === 0);
}

/** The value and everything in it, from the top. */
function descendants(root: unknown, budget: Budget): readonly unknown[] {
  const found: unknown[] = [];
  const waiting = [root];
  while (waiting.length > 0 && found.length < budget.left) {
    const value = waiting.pop();
    found.push(value);
    const children = childrenOf(value);
    for (let i = children.length - 1; i >= 0 && waiting.length < budget.left; i--) waiting.push(children[i]);
  }
  return found;
}

function passes(item: unknown, { left, operator, right }: Filter, budget: Budget): boolean {
  const [a] = operandOf(item, left, budget);
  if (right === undefined) return a !== undefined;
  const [b] = operandOf(item, right, budget);
  if (a === undefined || b === undefined || typeof a !== typeof b) return operator === '!=' && a !== b;
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return (a as string) < (b as string);
    case '<=':
      return (a as string) <= (b as string);
    case '>':
      return (a as string) > (b as string);
    default:
      return (a as string) >= (b as string);
  }
}

function operandOf(item: unknown, operand: Operand, budget: Budget): readonly unknown[] {
  return 'path' in operand ? evaluate([item], operand.path, budget) : [operand.literal];
}
