import { deepEqual } from '../../deep-equal.ts';
import type { FieldError } from '../../status-error.ts';
import { FIELD_ERRORS_MAX } from '../../validation/field.ts';
import type { FieldPath } from '../../validation/field.ts';
import type { SchemaProps } from './props.ts';

/** Nothing stood here before, or nobody can tell what. */
export const UNKNOWN = Symbol('nothing known from before');

/**
 * Steps of patterns, times characters of the texts that are held against them, for one object together: some tenths of a
 * second where all goes badly. Objects that mean well need a thousandth of it.
 */
const PATTERN_WORK_MAX = 40_000_000;

/** What matching may still cost. */
export class PatternWork {
  #left = PATTERN_WORK_MAX;

  /** Whether there is so much left; once there was not, there is none any more. */
  take(work: number): boolean {
    this.#left -= work;
    return this.#left >= 0;
  }
}

/** What a check found so far, and what stood before where it looks. */
export class Findings {
  readonly errors: FieldError[] = [];
  /** Checks that passed: of several failed alternatives, the one that came furthest is told. */
  passed = 0;
  before: unknown;
  /** Of the whole object, alternatives that are tried included. */
  readonly patternWork: PatternWork;

  constructor(before: unknown = UNKNOWN, patternWork = new PatternWork()) {
    this.before = before;
    this.patternWork = patternWork;
  }

  get isFull(): boolean {
    return this.errors.length >= FIELD_ERRORS_MAX;
  }

  add(error: FieldError): void {
    if (!this.isFull) this.errors.push(error);
  }

  merge(other: Findings): void {
    for (const error of other.errors) this.add(error);
    this.passed += other.passed;
  }

  /** What is as it was may stay: a schema that became stricter does not keep an object from being changed elsewhere. */
  forgiveUnchanged(value: unknown, known: number): void {
    if (this.errors.length === known || this.before === UNKNOWN) return;
    if (deepEqual(value, this.before)) this.errors.length = known;
  }
}

/** Looks at one value of a place, and adds what is wrong with it. */
export type Check = (value: unknown, path: FieldPath, found: Findings) => void;

/** The checks of a schema inside of another one; the same for the same schema. */
export type CompileCheck = (props: SchemaProps) => Check;

/** Where a check looks, and where it tells. */
export interface Place {
  readonly path: FieldPath;
  readonly found: Findings;
}

/** As the path stands in messages. */
export function inBody(path: FieldPath): string {
  return `${path} in body`;
}
