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
  return (value, path, found) => {
    for (const check of all) check(value, path, found);
  };
}

/** Tries each alternative; the failed one that came furthest is kept. */
function attempt(
  schemas: readonly Check[],
  value: unknown,
  { path, found }: Place,
): { valid: number; best: Findings | undefined } {
  let valid = 0;
  let best: Findings | undefined;
  for (const check of schemas) {
    const own = new Findings(found.before, found.patternWork);
    check(value, path, own);
    if (own.errors.length === 0) valid++;
    else if (best === undefined || own.passed > best.passed) best = own;
  }
  return { valid, best };
}

function anyOfCheck({ anyOf }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (anyOf === undefined || anyOf.length === 0) return undefined;
  const alternatives = anyOf.map(checkOf);
  return (value, path, found) => {
    const { valid, best } = attempt(alternatives, value, { path, found });
    if (valid > 0) return;
    found.add(ofWhole(path, 'must validate at least one schema (anyOf)'));
    if (best !== undefined) found.merge(best);
  };
}

function oneOfCheck({ oneOf }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (oneOf === undefined || oneOf.length === 0) return undefined;
  const alternatives = oneOf.map(checkOf);
  return (value, path, found) => {
    const { valid, best } = attempt(alternatives, value, { path, found });
    if (valid === 1) return;
    const why = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    found.add(ofWhole(path, `must validate one and only one schema (oneOf). ${why}`));
    if (best !== undefined) found.merge(best);
  };
}

function allOfCheck({ allOf }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (allOf === undefined || allOf.length === 0) return undefined;
  const parts = allOf.map(checkOf);
  return (value, path, found) => {
    const together = new Findings();
    let valid = 0;
    for (const check of parts) {
      const own = new Findings(found.before, found.patternWork);
      check(value, path, own);
      if (own.errors.length === 0) valid++;
      together.merge(own);
    }
    if (valid < parts.length) {
      found.add(ofWhole(path, `must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`));
    }
    found.merge(together);
  };
}

function notCheck({ not }: SchemaProps, checkOf: CompileCheck): Check | undefined {
  if (not === undefined || not === null) return undefined;
  const check = checkOf(not);
  return (value, path, found) => {
    const own = new Findings(UNKNOWN, found.patternWork);
    check(value, path, own);
    if (own.errors.length === 0) found.add(ofWhole(path, 'must not validate the schema (not)'));
  };
}
