/**
 * Paths of fields as plain text, and one constructor per thing that can be wrong with a field. Texts are
 * upstream's.
 */
import { FieldError } from '../status-error.ts';

/** `spec.containers[0].name`; the empty text is the object itself. */
export type FieldPath = string;

/** The field `name` of `parent`. */
export function child(parent: FieldPath, name: string): FieldPath {
  return parent === '' ? name : `${parent}.${name}`;
}

/** The element `i` of a list. */
export function index(parent: FieldPath, i: number): FieldPath {
  return `${parent}[${i}]`;
}

/** The entry of a map. */
export function key(parent: FieldPath, name: string): FieldPath {
  return `${parent}[${name}]`;
}

export function required(path: FieldPath, detail = ''): FieldError {
  return new FieldError('FieldValueRequired', path, '', detail);
}

export function invalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return new FieldError('FieldValueInvalid', path, value, detail);
}

export function typeInvalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return new FieldError('FieldValueTypeInvalid', path, value, detail);
}

export function duplicate(path: FieldPath, value: unknown): FieldError {
  return new FieldError('FieldValueDuplicate', path, value, '');
}

export function notFound(path: FieldPath, value: unknown): FieldError {
  return new FieldError('FieldValueNotFound', path, value, '');
}

/** `supported` is shown in the order given. */
export function notSupported(path: FieldPath, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((text) => JSON.stringify(text)).join(', ');
  return new FieldError('FieldValueNotSupported', path, value, list === '' ? '' : `supported values: ${list}`);
}

export function forbidden(path: FieldPath, detail: string): FieldError {
  return new FieldError('FieldValueForbidden', path, '', detail);
}

/** `max` in bytes. */
export function tooLong(path: FieldPath, max: number): FieldError {
  return new FieldError('FieldValueTooLong', path, '<value omitted>', `may not be more than ${counted(max, 'byte')}`);
}

export function tooLongCharacters(path: FieldPath, max: number): FieldError {
  return new FieldError(
    'FieldValueTooLong',
    path,
    '<value omitted>',
    `may not be more than ${counted(max, 'character')}`,
  );
}

export function tooShort(path: FieldPath, value: string, min: number): FieldError {
  return new FieldError('FieldValueTooShort', path, value, `must be at least ${counted(min, 'character')}`);
}

export function tooMany(path: FieldPath, actual: number, max: number): FieldError {
  return new FieldError('FieldValueTooMany', path, actual, `must have at most ${counted(max, 'item')}`);
}

export function internalError(path: FieldPath, detail: string): FieldError {
  return new FieldError('InternalError', path, '', detail);
}

/** One `invalid` for each message about a value. */
export function invalidAll(path: FieldPath, value: unknown, messages: readonly string[]): FieldError[] {
  // Nearly always there is none.
  return messages.length === 0 ? [] : messages.map((message) => invalid(path, value, message));
}

/** So many mistakes of one list are looked for: more would only make a reply that nobody reads. */
export const FIELD_ERRORS_MAX = 1000;

/** What is wrong with each of many, up to a bound. */
export function eachError<T>(items: Iterable<T>, check: (item: T, at: number) => readonly FieldError[]): FieldError[] {
  const errors: FieldError[] = [];
  let at = 0;
  for (const item of items) {
    for (const error of check(item, at++)) errors.push(error);
    if (errors.length >= FIELD_ERRORS_MAX) break;
  }
  return errors;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
