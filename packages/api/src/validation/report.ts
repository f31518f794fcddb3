import { field, FieldError, OMITTED_VALUE } from '@binnacle/machinery';
import type { FieldPath } from './path.ts';

const NEGATIVE = 'must be greater than or equal to 0';
const IMMUTABLE = 'field is immutable';

/** What validation found, in order. One method per sort of mistake, each with upstream's wording. */
export class Report {
  /** The first of them, at most 1000. */
  readonly errors: FieldError[] = [];
  #count = 0;

  /** How many mistakes were found, told or not: whether a step found one is asked by comparing. */
  get count(): number {
    return this.#count;
  }

  /** Takes over what was found elsewhere. */
  addAll(errors: readonly FieldError[]): void {
    this.#count += errors.length;
    for (const error of errors.slice(0, field.FIELD_ERRORS_MAX - this.errors.length)) this.errors.push(error);
  }

  /** Forgets all but the first so many. */
  forgetAfter(count: number): void {
    this.#count = Math.min(this.#count, count);
    if (this.errors.length > count) this.errors.length = count;
  }

  /** Puts all but the first so many in the order of their texts. */
  sortAfter(count: number): void {
    const texts = new Map(this.errors.slice(count).map((error) => [error, String(error)]));
    const textOf = (error: FieldError): string => texts.get(error) ?? '';
    this.errors.push(...this.errors.splice(count).toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1)));
  }

  required(path: FieldPath, detail = ''): void {
    this.#add('FieldValueRequired', path, '', detail);
  }

  invalid(path: FieldPath, value: unknown, detail: string): void {
    this.#add('FieldValueInvalid', path, value, detail);
  }

  /** Of values that are too large to show. */
  invalidWithoutValue(path: FieldPath, detail: string): void {
    this.invalid(path, OMITTED_VALUE, detail);
  }

  /** One mistake per message about the same value. */
  invalidEach(path: FieldPath, value: unknown, messages: readonly string[]): void {
    for (const message of messages) this.invalid(path, value, message);
  }

  unsupported(path: FieldPath, value: unknown, supported: readonly string[]): void {
    const list = supported.map((one) => JSON.stringify(one)).join(', ');
    const detail = supported.length === 0 ? '' : `supported values: ${list}`;
    this.#add('FieldValueNotSupported', path, value, detail);
  }

  forbidden(path: FieldPath, detail: string): void {
    this.#add('FieldValueForbidden', path, '', detail);
  }

  duplicate(path: FieldPath, value: unknown, detail = ''): void {
    this.#add('FieldValueDuplicate', path, value, detail);
  }

  notFound(path: FieldPath, value: unknown, detail = ''): void {
    this.#add('FieldValueNotFound', path, value, detail);
  }

  tooLong(path: FieldPath, bytesMax: number): void {
    const detail = `may not be more than ${bytesMax} bytes`;
    this.#add('FieldValueTooLong', path, '<value omitted>', detail);
  }

  tooMany(path: FieldPath, count: number, countMax: number): void {
    const detail = `must have at most ${countMax} ${countMax === 1 ? 'item' : 'items'}`;
    this.#add('FieldValueTooMany', path, count, detail);
  }

  /** Of a number that may be absent. */
  nonNegative(path: FieldPath, value: number | undefined | null): void {
    if (value !== undefined && value !== null && value < 0) this.invalid(path, value, NEGATIVE);
  }

  /** Of a field that keeps the value it got; `same` says whether it did. */
  immutable(path: FieldPath, value: unknown, same: boolean): void {
    if (!same) this.invalid(path, value, IMMUTABLE);
  }

  /** What nobody is told is only counted: no path is put together for it. */
  #add(...[type, path, value, detail]: Mistake): void {
    this.#count++;
    if (this.errors.length >= field.FIELD_ERRORS_MAX) return;
    this.errors.push(new FieldError(type, path.toString(), value, detail));
  }
}

type Mistake = readonly [type: ErrorType, path: FieldPath, value: unknown, detail: string];
type ErrorType = ConstructorParameters<typeof FieldError>[0];
