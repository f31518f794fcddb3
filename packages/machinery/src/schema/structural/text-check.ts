import { RE2JS } from 're2js';
import { invalid, tooLong, typeInvalid } from '../../validation/field.ts';
import { inBody } from './findings.ts';
import type { Check } from './findings.ts';
import { hasFormat } from './formats.ts';
import type { SchemaProps } from './props.ts';

/** Length, pattern and format of a text; undefined: the schema says nothing of them. */
export function textCheck(props: SchemaProps): Check | undefined {
  const { maxLength, minLength, pattern, format } = props;
  const expression = pattern === undefined || pattern === '' ? undefined : compilePattern(pattern);
  if (maxLength === undefined && minLength === undefined && expression === undefined && !format) return undefined;
  return (value, path, found) => {
    const text = value as string;
    const length = lengthOf(text, Math.max(Number(maxLength ?? 0), Number(minLength ?? 0)));
    // As with upstream, the first of these hides the others.
    if (maxLength !== undefined && length > Number(maxLength)) found.add(tooLong(path, Number(maxLength)));
    else if (minLength !== undefined && length < Number(minLength)) {
      found.add(invalid(path, text, `${inBody(path)} should be at least ${minLength} chars long`));
    } else if (expression !== undefined && !expression(text)) {
      found.add(invalid(path, text, `${inBody(path)} should match '${pattern}'`));
    }
    if (format && !hasFormat(format, text)) {
      found.add(typeInvalid(path, text, `${inBody(path)} must be of type ${format}: ${JSON.stringify(text)}`));
    }
  };
}

/** Code points, counted as far as they matter. */
function lengthOf(text: string, enough: number): number {
  if (text.length <= enough / 2) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** A pattern that RE2 does not take matches nothing; definitions with such a one are refused (`patternProblem`). */
function compilePattern(pattern: string): (text: string) => boolean {
  let expression: RE2JS | undefined;
  return (text) => {
    if (expression === undefined && patternProblem(pattern) !== undefined) return false;
    expression ??= RE2JS.compile(pattern);
    return expression.matcher(text).find();
  };
}

/** What is wrong with a pattern; undefined when RE2 takes it. */
export function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'cannot be compiled';
  }
}
