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

/** Whether the fields, read by name, satisfy the selector. An absent field is the empty text. */
export function matchesFields(selector: FieldSelector, read: (field: string) => string | undefined): boolean {
  return selector.terms.every((term) => ((read(term.field) ?? '') === term.value) === (term.operator === '='));
}

/** The one value that the selector allows for `field`; undefined when it allows several. */
export function requiresExactMatch(selector: FieldSelector, field: string): string | undefined {
  return selector.terms.find((term) => term.field === field && term.operator === '=')?.value;
}

/** The text that parses to the same selector. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector.terms.map((t) => `${t.field}${t.operator}${t.value.replace(/[\\,=]/g, '\\$&')}`).join(',');
}
