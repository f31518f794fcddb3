/** All expressions of a policy, compiled in the order in which they may refer to each other. */
import type { Pieces } from '@binnacle/base';
import type {
  MutatingAdmissionPolicy,
  ValidatingAdmissionPolicy,
  Variable,
} from '@binnacle/api/admissionregistration/v1';
import { BOOL, DYN, listOf, NULL, STRING } from '@binnacle/cel';
import type { ObjectType, Type } from '@binnacle/cel';
import { compileConditions } from './match-conditions.ts';
import type { CompiledExpression, ExpressionCompiler, ExpressionScope } from '@binnacle/cel';

const OBJECT: ObjectType = { kind: 'object', name: 'Object', field: () => DYN };
const JSON_PATCHES: Type = listOf({ kind: 'object', name: 'JSONPatch', field: () => DYN });

/** What a policy of either sort has. */
export interface CompiledPolicy {
  readonly conditions: readonly CompiledExpression[];
  readonly variables: ReadonlyMap<string, CompiledExpression>;
}

export interface CompiledValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly CompiledExpression[];
  /** Of each validation; undefined: it has none. */
  readonly messages: readonly (CompiledExpression | undefined)[];
  readonly annotations: readonly CompiledExpression[];
}

export interface CompiledMutatingPolicy extends CompiledPolicy {
  readonly mutations: readonly CompiledExpression[];
}

type AnyPolicySpec = ValidatingAdmissionPolicy['spec'] | MutatingAdmissionPolicy['spec'];

/** What is known of the objects that a policy is about; absent: nothing. */
export type KnownTypes = Pick<ExpressionScope, 'object' | 'params'>;

function* compileCommon(
  { paramKind, variables = [], matchConditions = [] }: AnyPolicySpec,
  compiler: ExpressionCompiler,
  known: KnownTypes,
): Pieces<CompiledPolicy & { readonly scope: ExpressionScope }> {
  const scope: ExpressionScope = { ...known, hasParams: paramKind !== undefined, hasAuthorizer: true };
  const conditions = compileConditions(matchConditions, compiler, scope);
  const types = new Map<string, Type>();
  const whole: ExpressionScope = { ...scope, variables: types };
  const compiled = yield* each(variables, ({ name, expression }: Variable): [string, CompiledExpression] => [
    name,
    compiler.compileVariable(name, expression, whole),
  ]);
  return { conditions, variables: new Map(compiled), scope: whole };
}

/** One piece for each item. */
function* each<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Pieces<readonly Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    made.push(make(item));
    yield;
  }
  return made;
}

/** Expression by expression, for who has others wait: a policy may have thousands. */
export function* piecesOfValidatingPolicy(
  { spec }: ValidatingAdmissionPolicy,
  compiler: ExpressionCompiler,
  known: KnownTypes = {},
): Pieces<CompiledValidatingPolicy> {
  const { scope, ...common } = yield* compileCommon(spec, compiler, known);
  const { validations = [], auditAnnotations = [] } = spec;
  return {
    ...common,
    validations: yield* each(validations, ({ expression }) => compiler.compile(expression, [BOOL], scope)),
    messages: yield* each(validations, ({ messageExpression = '' }) =>
      messageExpression.trim() === ''
        ? undefined
        : compiler.compile(messageExpression, [STRING], { ...scope, hasAuthorizer: false }),
    ),
    annotations: auditAnnotations.map(({ valueExpression }) =>
      compiler.compile(valueExpression, [STRING, NULL], scope),
    ),
  };
}

/** Expression by expression. */
export function* piecesOfMutatingPolicy(
  { spec }: MutatingAdmissionPolicy,
  compiler: ExpressionCompiler,
): Pieces<CompiledMutatingPolicy> {
  const { scope, ...common } = yield* compileCommon(spec, compiler, {});
  const { mutations = [] } = spec;
  return {
    ...common,
    mutations: yield* each(mutations, ({ patchType, jsonPatch, applyConfiguration }) => {
      const isPatch = patchType === 'JSONPatch';
      const source = (isPatch ? jsonPatch?.expression : applyConfiguration?.expression) ?? '';
      return compiler.compile(source, [isPatch ? JSON_PATCHES : OBJECT], { ...scope, hasPatches: true });
    }),
  };
}
