import type { FieldError } from '../../status-error.ts';
import { invalid } from '../../validation/field.ts';
import type { FieldPath } from '../../validation/field.ts';
import { Findings, UNKNOWN } from './findings.ts';
import type { Check, CompileCheck, Place } from './findings.ts';
import type { SchemaProps } from './props.ts';
import { DONE, goOn } from './steps.ts';

/** A mistake that belongs to no one field. */
function ofWhole(path: FieldPath, what: string): FieldError {
  return invalid('<nil>', '', `${JSON.stringify(path)} ${what}`);
}

/** What `anyOf`, `oneOf`, `allOf` and `not` say of a value; undefined: the schema has none of them. */
export function combinationCheck(props: SchemaProps, checkOf: CompileCheck): Check | undefined {
  const all = [
    anyOfCheck(props, checkOf),
    oneOfCheck(props, checkOf),
    allOfCheck(props, checkOf),
    notCheck(props, checkOf),
  ].filter((check) => check !== undefined);
  if (all.length === 0) return undefined;
  const [only] = all;
  if (all.length === 1) return only;
  return (value, path, found) => {
    const steps = (from: number): number => {
      for (let i = from; i < all.length; i++) {
        const walk = all[i]?.(value, path, found);
        if (walk !== undefined) return found.waitFor(walk, i + 1);
      }
      return DONE;
    };
    const next = steps(0);
    return next === DONE ? undefined : goOn(steps, next, found);
  };
}

/** What the parts of a combination came to. */
interface Tried {
  valid: number;
  /** The failed one that came furthest. */
  best: Findings | undefined;
  /** What all of them found, in their order; made with the first mistake. */
  together: Findings | undefined;
  /** Checks of theirs that passed. */
  passed: number;
}

interface Trying extends Place {
  readonly value: unknown;
  readonly checkOf: CompileCheck;
  readonly tried: Tried;
  /** What the part that has to wait found so far. */
  waiting: Findings | undefined;
}

/** Tries the parts from one on; what they are held against is compiled when the first value comes, as there may be very many. */
function tryFrom(parts: readonly SchemaProps[], trying: Trying, from: number): number {
  const { value, path, found, checkOf, tried } = trying;
  if (trying.waiting !== undefined) note(trying.waiting, tried);
  trying.waiting = undefined;
  for (let i = from; i < parts.length; i++) {
    const part = parts[i];
    if (part === undefined || found.work.isOver) return DONE;
    const own = new Findings(found.before, found.work);
    const walk = checkOf(part)(value, path, own);
    if (walk !== undefined || found.work.shouldRest()) {
      trying.waiting = own;
      return found.waitFor(walk, i + 1);
    }
    note(own, tried);
  }
  return DONE;
}

function note(own: Findings, tried: Tried): void {
  tried.passed += own.passed;
  if (own.errors.length === 0) {
    tried.valid++;
    return;
  }
  if (tried.best === undefined || own.passed > tried.best.passed) tried.best = own;
  tried.together ??= new Findings(UNKNOWN, own.work);
  for (const error of own.errors) tried.together.add(error);
}

/** The check of a combination: each part is tried, then `tell` adds what came of it. */
function triedCheck(
  parts: readonly SchemaProps[],
  checkOf: CompileCheck,
  tell: (tried: Tried, place: Place) => void,
): Check {
  return (value, path, found) => {
    const tried: Tried = { valid: 0, best: undefined, together: undefined, passed: 0 };
    const trying: Trying = { value, path, found, checkOf, tried, waiting: undefined };
    const steps = (from: number): number => {
      const next = tryFrom(parts, trying, from);
      if (next === DONE) tell(tried, trying);
      return next;
    };
    const next = steps(0);
    return next === DONE ? undefined : goOn(steps, next, found);
  };
}

function anyOfCheck({ anyOf }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (anyOf === undefined || anyOf.length === 0) return undefined;
  return triedCheck(anyOf, checkOf, ({ valid, best }, { path, found }) => {
    if (valid > 0) return;
    found.add(ofWhole(path, 'must validate at least one schema (anyOf)'));
    if (best !== undefined) found.merge(best);
  });
}

function oneOfCheck({ oneOf }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (oneOf === undefined || oneOf.length === 0) return undefined;
  return triedCheck(oneOf, checkOf, ({ valid, best }, { path, found }) => {
    if (valid === 1) return;
    const why = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    found.add(ofWhole(path, `must validate one and only one schema (oneOf). ${why}`));
    if (best !== undefined) found.merge(best);
  });
}

function allOfCheck({ allOf }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (allOf === undefined || allOf.length === 0) return undefined;
  return triedCheck(allOf, checkOf, ({ valid, together, passed }, { path, found }) => {
    if (valid < allOf.length) {
      found.add(ofWhole(path, `must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`));
    }
    for (const error of together?.errors ?? []) found.add(error);
    found.passed += passed;
  });
}

function notCheck({ not }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (not === undefined || not === null) return undefined;
  return (value, path, found) => {
    const own = new Findings(UNKNOWN, found.work);
    const steps = (from: number): number => {
      const walk = from === 0 ? checkOf(not)(value, path, own) : undefined;
      if (walk !== undefined) return found.waitFor(walk, 1);
      if (own.errors.length === 0) found.add(ofWhole(path, 'must not validate the schema (not)'));
      return DONE;
    };
    const next = steps(0);
    return next === DONE ? undefined : goOn(steps, next, found);
  };
}
