import {
  BOOL,
  compile,
  CompileError,
  documentValue,
  formatType,
  KUBERNETES_MACROS,
  kubernetesLibrary,
} from '@binnacle/cel';
import { listOf, mapOf, STRING } from '@binnacle/cel';
import type { ObjectType, Program, Type } from '@binnacle/cel';
import { AuthenticationConfigError } from './errors.ts';

/** Upstream's bound of the conditions of one webhook. */
const COST_MAX = 10_000_000;
const CONDITIONS_MAX = 64;

function objectType(name: string, fields: { readonly [field: string]: Type }): ObjectType {
  const known = new Map(Object.entries(fields));
  return { kind: 'object', name, field: (field) => known.get(field) };
}

const REQUIREMENTS = listOf(
  objectType('kubernetes.SelectorRequirement', { key: STRING, operator: STRING, values: listOf(STRING) }),
);
const SELECTOR = objectType('kubernetes.SelectorAttributes', { rawSelector: STRING, requirements: REQUIREMENTS });

/** The spec of a SubjectAccessReview. */
const REQUEST = objectType('kubernetes.SubjectAccessReviewSpec', {
  resourceAttributes: objectType('kubernetes.ResourceAttributes', {
    namespace: STRING,
    verb: STRING,
    group: STRING,
    version: STRING,
    resource: STRING,
    subresource: STRING,
    name: STRING,
    fieldSelector: SELECTOR,
    labelSelector: SELECTOR,
  }),
  nonResourceAttributes: objectType('kubernetes.NonResourceAttributes', { path: STRING, verb: STRING }),
  user: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
  uid: STRING,
});

const ENVIRONMENT = {
  functions: kubernetesLibrary(),
  macros: KUBERNETES_MACROS,
  variables: new Map<string, Type>([['request', REQUEST]]),
  objects: { get: () => undefined },
  isHomogeneous: true,
};

/**
 * Whether a webhook is to be asked: true when all conditions hold, false when one does not, undefined when one fails and
 * none is false.
 */
export type MatchConditions = (spec: object) => boolean | undefined;

/** Compiles conditions. Throws AuthenticationConfigError, with the place of the condition. */
export function compileMatchConditions(sources: readonly string[], path: string): MatchConditions {
  if (sources.length > CONDITIONS_MAX) {
    throw new AuthenticationConfigError(
      `${path}: Too many: ${sources.length}: must have at most ${CONDITIONS_MAX} items`,
    );
  }
  const programs = sources.map((source, i) => compiled(source, `${path}[${i}].expression`));
  const twice = sources.find((source, i) => sources.indexOf(source) !== i);
  if (twice !== undefined) throw new AuthenticationConfigError(`${path}: Duplicate value: ${JSON.stringify(twice)}`);
  return (spec) => {
    const variables = new Map([['request', documentValue(spec)]]);
    let left = COST_MAX;
    let failed = false;
    for (const program of programs) {
      const { value, error, cost } = program.run(variables, left);
      left -= cost;
      if (error !== undefined) failed = true;
      else if (value !== true) return false;
    }
    return failed ? undefined : true;
  };
}

function compiled(source: string, path: string): Program {
  if (source.trim() === '') throw new AuthenticationConfigError(`${path}: Required value`);
  const wrong = (why: string): AuthenticationConfigError =>
    new AuthenticationConfigError(`${path}: Invalid value: ${JSON.stringify(source)}: ${why}`);
  try {
    const program = compile(source, ENVIRONMENT);
    if (formatType(program.type) !== formatType(BOOL)) throw wrong('must evaluate to bool');
    return program;
  } catch (error) {
    if (error instanceof CompileError) throw wrong(`compilation failed: ${error.message}`);
    throw error;
  }
}
