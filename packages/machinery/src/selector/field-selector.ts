import { SelectorError } from '../errors.ts';

/** One condition on a field of an object. */
export interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Conditions that must all hold. */
export interface FieldSelector {
  readonly terms: readonly FieldTerm[];
}

/** Reads `spec.nodeName=n1,metadata.name!=x` with `\`, `,` and `=` escaped by a backslash. Throws SelectorError. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text)
    .filter((part) => part !== '')
    .map((part) => parseTerm(text, part));
  return { terms };
}

function splitTerms(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function parseTerm(whole: string, part: string): FieldTerm {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(part);
  const [, field = '', operator = '', value = ''] = match ?? [];
  if (match === null) {
    throw new SelectorError(`invalid selector: '${whole}'; can't understand '${part}'`);
  }
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescape(value) };
}

function unescape(value: string): string {
  let out = '';
  for (let i = 0; i < value.length; i++) {
    const char = value[i] as string;
    if (char === '\\') {
      const next = value[++i];
      if (next === undefined || !'\\,='.includes(next)) {
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next ?? ''}`);
      }
      out += next;
    } else if (char === ',' || char === '=') {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${char}`);
    } else {
      out += char;
    }
  }
  return out;
}

/** What one field has to be and what it must not be, all terms on it together. */
interface FieldCondition {
  readonly equal: Set<string>;
  readonly different: Set<string>;
}

/** More terms are put together by field first: there are few fields, and each object is held against them. */
const FEW = 8;
const conditions = new WeakMap<FieldSelector, ReadonlyMap<string, FieldCondition>>();

function conditionsOf(selector: FieldSelector): ReadonlyMap<string, FieldCondition> {
  let known = conditions.get(selector);
  if (known !== undefined) return known;
  const made = new Map<string, FieldCondition>();
  for (const { field, operator, value } of selector.terms) {
    let condition = made.get(field);
    if (condition === undefined) made.set(field, (condition = { equal: new Set(), different: new Set() }));
    (operator === '=' ? condition.equal : condition.different).add(value);
  }
  conditions.set(selector, (known = made));
  return known;
}

/** Whether the fields, read by name, satisfy the selector. An absent field is the empty text. */
export function matchesFields(selector: FieldSelector, read: (field: string) => string | undefined): boolean {
  const { terms } = selector;
  if (terms.length <= FEW) {
    return terms.every((term) => ((read(term.field) ?? '') === term.value) === (term.operator === '='));
  }
  for (const [field, { equal, different }] of conditionsOf(selector)) {
    const value = read(field) ?? '';
    if (different.has(value) || equal.size > 1 || (equal.size === 1 && !equal.has(value))) return false;
  }
  return true;
}

/** The one value that the selector allows for `field`; undefined when it allows several. */
export function requiresExactMatch(selector: FieldSelector, field: string): string | undefined {
  return selector.terms.find((term) => term.field === field && term.operator === '=')?.value;
}

/** The text that parses to the same selector. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector.terms.map((t) => `${t.field}${t.operator}${t.value.replace(/[\\,=]/g, '\\$&')}`).join(',');
}
