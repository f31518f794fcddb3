import { PatternError, readPattern } from '../../pattern/read-pattern.ts';
import type { Pattern } from '../../pattern/read-pattern.ts';
import { OMITTED_VALUE } from '../../status-error.ts';
import { invalid, tooLong, typeInvalid } from '../../validation/field.ts';
import { inBody } from './findings.ts';
import type { CheckWork, LeafCheck } from './findings.ts';
import { hasFormat } from './formats.ts';
import type { SchemaProps } from './props.ts';

const TOO_MUCH = 'matching patterns took too much work, no further patterns are matched';

/** Length, pattern and format of a text; undefined: the schema says nothing of them. */
export function textCheck(props: SchemaProps): LeafCheck | undefined {
  const { maxLength, minLength, pattern, format } = props;
  const expression = pattern === undefined || pattern === '' ? undefined : matching(props, pattern);
  if (maxLength === undefined && minLength === undefined && expression === undefined && !format) return undefined;
  return (value, path, found) => {
    const text = value as string;
    found.work.look(text.length);
    // As with upstream, the first of these hides the others.
    if (maxLength !== undefined && isLonger(text, Number(maxLength))) found.add(tooLong(path, Number(maxLength)));
    else if (minLength !== undefined && !isLonger(text, Number(minLength) - 1)) {
      found.add(invalid(path, text, `${inBody(path)} should be at least ${minLength} chars long`));
    } else if (expression !== undefined) {
      const verdict = expression(text, found.work);
      if (verdict === undefined) found.add(invalid(path, OMITTED_VALUE, TOO_MUCH));
      else if (!verdict) found.add(invalid(path, text, `${inBody(path)} should match '${pattern}'`));
    }
    if (format && !hasFormat(format, text)) {
      found.add(typeInvalid(path, text, `${inBody(path)} must be of type ${format}: ${JSON.stringify(text)}`));
    }
  };
}

/** Whether a text has more code points than that; they are counted where units of UTF-16 do not tell. */
function isLonger(text: string, length: number): boolean {
  if (text.length <= length) return false;
  if (text.length > 2 * length) return true;
  let count = 0;
  for (const _ of text) if (++count > length) return true;
  return false;
}

/** What a text comes to; undefined: to find it out would take longer than a whole object may. */
type Verdict = boolean | undefined;

/** A pattern that cannot be read matches nothing; definitions with such a one are refused (`patternProblem`). */
function matching(props: SchemaProps, source: string): (text: string, work: CheckWork) => Verdict {
  return (text, work) => {
    const { pattern } = patternOf(props, source);
    if (pattern === undefined) return false;
    if (!work.takePattern(pattern.steps * text.length)) return undefined;
    return pattern.expression.matcher(text).find();
  };
}

interface Tried {
  readonly pattern?: Pattern;
  readonly problem?: string;
}

const patterns = new WeakMap<SchemaProps, Tried>();

/** The pattern of a schema, read once. */
export function patternOf(props: SchemaProps, source: string): Tried {
  let tried = patterns.get(props);
  if (tried === undefined) patterns.set(props, (tried = tryPattern(source)));
  return tried;
}

function tryPattern(source: string): Tried {
  try {
    return { pattern: readPattern(source) };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return { problem: error.message };
  }
}

/** What is wrong with a pattern; undefined when it can be read. */
export function patternProblem(source: string): string | undefined {
  return tryPattern(source).problem;
}
