import type { LabelSelector as LabelSelectorObject } from '../generated/meta-v1.ts';
import { SelectorError } from '../errors.ts';
import { memberOf } from '../schema/member.ts';
import { labelKeyErrors, labelValueErrors } from '../validation/names.ts';
import { ConditionTable } from './condition-table.ts';
import type { Requirement, SelectorOperator } from './requirement.ts';

type Labels = { readonly [key: string]: string };

/** Conditions that must all hold; none at all matches everything, `nothing` matches nothing. */
export interface Selector {
  readonly requirements: readonly Requirement[];
  readonly nothing?: true;
}

/** Matches every object. */
export const EVERYTHING: Selector = { requirements: [] };
/** Matches no object. */
export const NOTHING: Selector = { requirements: [], nothing: true };

/** More conditions, or values of one, are looked up instead of gone through. */
const FEW = 8;
/** Made at the first question; they go with their selectors. */
const tables = new WeakMap<Selector, ConditionTable>();
const valueSets = new WeakMap<readonly string[], ReadonlySet<string>>();

function tableOf(selector: Selector): ConditionTable {
  let table = tables.get(selector);
  if (table === undefined) tables.set(selector, (table = new ConditionTable(selector.requirements)));
  return table;
}

function includes(values: readonly string[], value: string): boolean {
  if (values.length <= FEW) return values.includes(value);
  let set = valueSets.get(values);
  if (set === undefined) valueSets.set(values, (set = new Set(values)));
  return set.has(value);
}

/** Whether the labels satisfy the selector. The time it takes does not grow with its conditions and values. */
export function matchesLabels(selector: Selector, labels: Labels | undefined): boolean {
  if (selector.nothing === true) return false;
  if (selector.requirements.length > FEW) return tableOf(selector).matches(labels);
  for (const requirement of selector.requirements) {
    const has = labels !== undefined && Object.hasOwn(labels, requirement.key);
    if (!holds(requirement, has ? labels[requirement.key] : undefined)) return false;
  }
  return true;
}

function holds(requirement: Requirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && includes(requirement.values, value);
    case '!=':
    case 'notin':
      return value === undefined || !includes(requirement.values, value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      return value !== undefined && holdsNumber(requirement, value);
  }
}

function holdsNumber(requirement: Requirement, value: string): boolean {
  const bound = requirement.values[0];
  if (bound === undefined || !/^[+-]?\d+$/.test(value)) return false;
  return requirement.operator === 'gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

/** Whether every label set given is matched exactly by equality: `{app: 'x'}`. */
export function selectorFromSet(labels: Labels | undefined): Selector {
  const entries = Object.entries(labels ?? {});
  return { requirements: entries.map(([key, value]) => ({ key, operator: '=', values: [value] })) };
}

const OPERATORS: { readonly [operator: string]: SelectorOperator } = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/**
 * The selector of an object: absent matches nothing, empty matches everything.
 * Throws SelectorError for an unknown operator or a malformed key or value.
 */
export function selectorFromObject(object: LabelSelectorObject | undefined | null): Selector {
  if (object === undefined || object === null) return NOTHING;
  const requirements: Requirement[] = [...selectorFromSet(object.matchLabels).requirements];
  for (const { key, operator, values } of object.matchExpressions ?? []) {
    const known = memberOf(OPERATORS, operator);
    if (known === undefined) throw new SelectorError(`"${operator}" is not a valid label selector operator`);
    requirements.push(requirement(key, known, values ?? []));
  }
  return { requirements };
}

/**
 * The selector of an object of others, as it is stored: as `selectorFromObject`, but one that cannot be read (stored before
 * such were refused) chooses nothing, so that it costs nobody but its own object.
 */
export function storedSelector(object: LabelSelectorObject | undefined | null): Selector {
  try {
    return selectorFromObject(object);
  } catch (error) {
    if (error instanceof SelectorError) return NOTHING;
    throw error;
  }
}

/** `a=b,c in (d,e)`, sorted by key as upstream prints it. */
export function formatSelector(selector: Selector): string {
  const sorted = [...selector.requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return sorted.map(formatRequirement).join(',');
}

function formatRequirement({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`;
    case 'gt':
      return `${key}>${values[0] ?? ''}`;
    case 'lt':
      return `${key}<${values[0] ?? ''}`;
    default:
      return `${key}${operator}${values[0] ?? ''}`;
  }
}

/** Whether the selector asks for one value of `key`, and which. */
export function requiresExactLabel(selector: Selector, key: string): string | undefined {
  const found = selector.requirements.find((r) => r.key === key && r.values.length === 1 && isEquality(r.operator));
  return found?.values[0];
}

function isEquality(operator: SelectorOperator): boolean {
  return operator === '=' || operator === '==' || operator === 'in';
}

/** Reads `a=b,c!=d,e in (x,y),!f,g`. Throws SelectorError with upstream's text. */
export function parseLabelSelector(text: string): Selector {
  return { requirements: new Parser(text).requirements() };
}

/** Checks what a condition is made of. Throws SelectorError with upstream's text. */
function requirement(key: string, operator: SelectorOperator, values: readonly string[]): Requirement {
  const bad = labelKeyErrors(key);
  if (bad.length > 0) throw new SelectorError(`key: Invalid value: ${JSON.stringify(key)}: ${bad.join('; ')}`);
  checkCount(operator, values);
  values.forEach((value, i) => {
    const errors = labelValueErrors(value);
    if (errors.length > 0) {
      throw new SelectorError(`values[${i}][${key}]: Invalid value: ${JSON.stringify(value)}: ${errors.join('; ')}`);
    }
  });
  return { key, operator, values };
}

function checkCount(operator: SelectorOperator, values: readonly string[]): void {
  const fail = (why: string): never => {
    const shown = `[${values.map((v) => JSON.stringify(v)).join(',')}]`;
    throw new SelectorError(`values: Invalid value: ${shown}: ${why}`);
  };
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    fail("for 'in', 'notin' operators, values set can't be empty");
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    fail('values set must be empty for exists and does not exist');
  }
  if (operator !== 'gt' && operator !== 'lt') return;
  if (values.length !== 1) fail("for 'Gt', 'Lt' operators, exactly one value is required");
  if (!/^[+-]?\d+$/.test(values[0] ?? '')) {
    throw new SelectorError(
      `values[0]: Invalid value: ${JSON.stringify(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  }
}

type Token = { readonly kind: 'word' | 'symbol' | 'end'; readonly text: string };

const END: Token = { kind: 'end', text: '' };
/** The next token from where it stands, behind any spaces. */
const TOKEN = /\s*(?:(==|!=|[=!(),<>])|([^\s=!(),<>]+))/y;

class Parser {
  readonly #text: string;
  #at = 0;
  /** What was looked at and not yet taken. */
  #ahead: Token | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  requirements(): Requirement[] {
    const out: Requirement[] = [];
    if (this.#peek().kind === 'end') return out;
    for (;;) {
      const next = this.#peek();
      if (next.kind !== 'word' && next.text !== '!') {
        this.#fail(next, "!, identifier, or 'end of string'");
      }
      out.push(this.#guarded());
      const separator = this.#next();
      if (separator.kind === 'end') return out;
      if (separator.text !== ',') this.#fail(separator, "',' or 'end of string'");
      const after = this.#peek();
      if (after.kind !== 'word' && after.text !== '!') this.#fail(after, "identifier after ','");
    }
  }

  #guarded(): Requirement {
    try {
      return this.#requirement();
    } catch (error) {
      throw error instanceof SelectorError ? new SelectorError(`unable to parse requirement: ${error.message}`) : error;
    }
  }

  #requirement(): Requirement {
    const first = this.#next();
    if (first.text === '!' && first.kind === 'symbol') {
      const key = this.#next();
      if (key.kind !== 'word') this.#fail(key, 'identifier');
      checkKey(key.text);
      return requirement(key.text, '!', []);
    }
    checkKey(first.text);
    const after = this.#peek();
    if (after.kind === 'end' || after.text === ',') return requirement(first.text, 'exists', []);
    return this.#operation(first.text);
  }

  #operation(key: string): Requirement {
    const operator = this.#next();
    switch (operator.text) {
      case '=':
      case '==':
      case '!=':
        return requirement(key, operator.text, [this.#exactValue()]);
      case 'in':
      case 'notin':
        return requirement(key, operator.text, this.#values());
      case '<':
        return requirement(key, 'lt', [this.#exactValue()]);
      case '>':
        return requirement(key, 'gt', [this.#exactValue()]);
      default:
        return this.#fail(operator, 'in, notin, =, ==, !=, gt, lt');
    }
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next.kind === 'end' || next.text === ',') return '';
    if (next.kind !== 'word') this.#fail(next, 'identifier');
    return this.#next().text;
  }

  #values(): string[] {
    const open = this.#next();
    if (open.text !== '(') throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.text === ')') {
      this.#next();
      return [''];
    }
    if (first.kind !== 'word' && first.text !== ',') this.#fail(first, "',', ')' or identifier");
    const values = this.#identifiers();
    this.#next();
    return [...values].sort();
  }

  /** A list up to the closing parenthesis; a comma with nothing beside it stands for an empty value. */
  #identifiers(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#next();
      if (token.kind === 'word') {
        values.add(token.text);
        const after = this.#peek();
        if (after.text === ')') return values;
        if (after.text !== ',') this.#fail(after, "',' or ')'");
      } else if (token.text === ',') {
        if (values.size === 0) values.add('');
        if (this.#endsWithEmpty(values)) return values;
      } else {
        this.#fail(token, "',', or identifier");
      }
    }
  }

  #endsWithEmpty(values: Set<string>): boolean {
    const after = this.#peek();
    if (after.text === ')' || after.text === ',') values.add('');
    if (after.text === ',') this.#next();
    return after.text === ')';
  }

  #peek(): Token {
    return (this.#ahead ??= this.#read());
  }

  #next(): Token {
    const token = this.#peek();
    this.#ahead = undefined;
    return token;
  }

  #read(): Token {
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (found === null) return END;
    this.#at = TOKEN.lastIndex;
    const [, symbol, word = ''] = found;
    return symbol === undefined ? { kind: 'word', text: word } : { kind: 'symbol', text: symbol };
  }

  #fail(token: Token, expected: string): never {
    throw new SelectorError(`found '${token.text}', expected: ${expected}`);
  }
}

/** Upstream looks at the key before the operator, with no path to name. */
function checkKey(key: string): void {
  const errors = labelKeyErrors(key);
  if (errors.length > 0) throw new SelectorError(`<nil>: Invalid value: ${JSON.stringify(key)}: ${errors.join('; ')}`);
}
