import type { Walk } from '@binnacle/base';
import type { FieldError } from '../../status-error.ts';
import { invalid } from '../../validation/field.ts';
import type { FieldPath } from '../../validation/field.ts';
import { Findings, UNKNOWN } from './findings.ts';
import type { Check, CompileCheck, Place } from './findings.ts';
import type { SchemaProps } from './props.ts';

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
  return function* (value, path, found) {
    for (const check of all) {
      const walk = check(value, path, found);
      if (walk !== undefined) yield walk;
    }
  };
}

/** What the parts of a combination came to. */
interface Tried {
  valid: number;
  /** The failed one that came furthest. */
  best: Findings | undefined;
  /** What all of them found, in their order. */
  readonly together: Findings;
}

/** Tries each part; what it is held against is compiled when the first value comes, as there may be very many. */
function* tryEach(
  parts: readonly SchemaProps[],
  value: unknown,
  { path, found, checkOf, tried }: Place & { readonly checkOf: CompileCheck; readonly tried: Tried },
): Walk {
  for (const part of parts) {
    const own = new Findings(found.before, found.work);
    const walk = checkOf(part)(value, path, own);
    if (walk !== undefined) yield walk;
    if (own.errors.length === 0) tried.valid++;
    else if (tried.best === undefined || own.passed > tried.best.passed) tried.best = own;
    tried.together.merge(own);
    if (found.work.shouldRest()) yield undefined;
    if (found.work.isOver) return;
  }
}

function noneTried({ work }: Findings): Tried {
  return { valid: 0, best: undefined, together: new Findings(UNKNOWN, work) };
}

function anyOfCheck({ anyOf }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (anyOf === undefined || anyOf.length === 0) return undefined;
  return function* (value, path, found) {
    const tried = noneTried(found);
    yield tryEach(anyOf, value, { path, found, checkOf, tried });
    if (tried.valid > 0) return;
    found.add(ofWhole(path, 'must validate at least one schema (anyOf)'));
    if (tried.best !== undefined) found.merge(tried.best);
  };
}

function oneOfCheck({ oneOf }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (oneOf === undefined || oneOf.length === 0) return undefined;
  return function* (value, path, found) {
    const tried = noneTried(found);
    yield tryEach(oneOf, value, { path, found, checkOf, tried });
    const { valid, best } = tried;
    if (valid === 1) return;
    const why = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    found.add(ofWhole(path, `must validate one and only one schema (oneOf). ${why}`));
    if (best !== undefined) found.merge(best);
  };
}

function allOfCheck({ allOf }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (allOf === undefined || allOf.length === 0) return undefined;
  return function* (value, path, found) {
    const tried = noneTried(found);
    yield tryEach(allOf, value, { path, found, checkOf, tried });
    const { valid, together } = tried;
    if (valid < allOf.length) {
      found.add(ofWhole(path, `must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`));
    }
    found.merge(together);
  };
}

function notCheck({ not }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (not === undefined || not === null) return undefined;
  return function* (value, path, found) {
    const own = new Findings(UNKNOWN, found.work);
    const walk = checkOf(not)(value, path, own);
    if (walk !== undefined) yield walk;
    if (own.errors.length === 0) found.add(ofWhole(path, 'must not validate the schema (not)'));
  };
}
