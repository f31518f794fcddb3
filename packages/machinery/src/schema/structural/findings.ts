import type { Walk } from '@binnacle/base';
import { deepEqual } from '../../deep-equal.ts';
import type { FieldError } from '../../status-error.ts';
import { FIELD_ERRORS_MAX } from '../../validation/field.ts';
import type { FieldPath } from '../../validation/field.ts';
import { canonicalText } from './canonical.ts';
import type { SchemaProps } from './props.ts';

/** Nothing stood here before, or nobody can tell what. */
export const UNKNOWN = Symbol('nothing known from before');

/**
 * Steps of patterns, times characters of the texts that are held against them, for one object together: some tenths of a
 * second where all goes badly. Objects that mean well need a thousandth of it.
 */
const PATTERN_WORK_MAX = 40_000_000;
/** A check of one value, in characters that are looked at meanwhile: both take some nanoseconds each. */
const CHECK = 50;
/** To make a canonical text, for each of its characters. */
const TEXT = 10;
/** So much at once: about half a millisecond. */
const PIECE = 100_000;
/**
 * The same for one object together: some seconds. The largest object by a schema that means well needs a tenth of it; the
 * parts of `allOf` and their like, each looking at the whole object, could take days.
 */
const WORK_MAX = 400_000_000;

/** What the checks of one object cost, alternatives that are tried included. */
export class CheckWork {
  #patternsLeft = PATTERN_WORK_MAX;
  #left = WORK_MAX;
  #restAt = WORK_MAX - PIECE;
  /** How many values inside each other are looked at by calls inside each other. */
  depth = 0;
  readonly #texts = new Map<object, string>();
  readonly #compared = new Map<object, { readonly before: unknown; readonly same: boolean }>();

  /** Whether patterns may cost so much more; once they may not, there is none any more. */
  takePattern(work: number): boolean {
    this.#patternsLeft -= work;
    return this.#patternsLeft >= 0;
  }

  /** A value is looked at, and so many characters of it. */
  look(characters = 0): void {
    this.#left -= CHECK + characters;
  }

  /** Nothing further is looked at. */
  get isOver(): boolean {
    return this.#left < 0;
  }

  /** The canonical text of a value; made once for all parts of a schema that ask. */
  textOf(value: unknown): string {
    const known = typeof value === 'object' && value !== null ? this.#texts.get(value) : undefined;
    if (known !== undefined) return known;
    const text = canonicalText(value);
    this.look(TEXT * text.length);
    if (typeof value === 'object' && value !== null) this.#texts.set(value, text);
    return text;
  }

  /** Whether a value is what it was; found out once for all parts of a schema that ask. */
  isSame(value: unknown, before: unknown): boolean {
    if (typeof value !== 'object' || value === null) return value === before;
    const known = this.#compared.get(value);
    if (known !== undefined && known.before === before) return known.same;
    const same = deepEqual(value, before);
    this.#compared.set(value, { before, same });
    return same;
  }

  /** Whether others should have their turn; asked once, it is begun anew. */
  shouldRest(): boolean {
    if (this.#left > this.#restAt) return false;
    this.#restAt = this.#left - PIECE;
    return true;
  }
}

/** What a check found so far, and what stood before where it looks. */
export class Findings {
  readonly errors: FieldError[] = [];
  /** Checks that passed: of several failed alternatives, the one that came furthest is told. */
  passed = 0;
  before: unknown;
  /** What a check waits for that said so (see `steps.ts`); undefined: for its turn. */
  wait: Walk | undefined;
  /** Of the whole object. */
  readonly work: CheckWork;

  constructor(before: unknown = UNKNOWN, work = new CheckWork()) {
    this.before = before;
    this.work = work;
  }

  /** Leaves what is waited for; answers the step that goes on. */
  waitFor(walk: Walk | undefined, next: number): number {
    this.wait = walk;
    return next;
  }

  /** Nothing that is still found would be told. */
  get isFull(): boolean {
    return this.errors.length >= FIELD_ERRORS_MAX || this.work.isOver;
  }

  add(error: FieldError): void {
    if (this.errors.length < FIELD_ERRORS_MAX) this.errors.push(error);
  }

  merge(other: Findings): void {
    for (const error of other.errors) this.add(error);
    this.passed += other.passed;
  }

  /** What is as it was may stay: a schema that became stricter does not keep an object from being changed elsewhere. */
  forgiveUnchanged(value: unknown, known: number): void {
    if (this.errors.length === known || this.before === UNKNOWN) return;
    if (this.work.isSame(value, this.before)) this.errors.length = known;
  }
}

/** Looks at one value of a place, and adds what is wrong with it. */
export type LeafCheck = (value: unknown, path: FieldPath, found: Findings) => void;

/** Likewise of a value and what is inside of it: done at once where it answers undefined, else by the walk. */
export type Check = (value: unknown, path: FieldPath, found: Findings) => Walk | undefined;

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
