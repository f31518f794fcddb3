/** Expressions of what is stored, checked before it is: what is wrong with each, and where. */
import type {
  MatchCondition,
  MutatingAdmissionPolicy,
  ValidatingAdmissionPolicy,
} from '@binnacle/api/admissionregistration/v1';
import { field } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import { ExpressionCompiler } from '@binnacle/cel';
import type { CompiledExpression } from '@binnacle/cel';
import { compileConditions } from './match-conditions.ts';
import type { Judgement } from '../../ports/strategy.ts';
import { piecesOfMutatingPolicy, piecesOfValidatingPolicy } from './policy-expressions.ts';

interface Configuration {
  readonly webhooks?: readonly { readonly matchConditions?: readonly MatchCondition[] }[];
}

/** The conditions of webhooks. */
export function* checkWebhookConditions(configuration: KubeObject): Judgement {
  const { webhooks = [] } = configuration as KubeObject & Configuration;
  const compiler = new ExpressionCompiler();
  const errors: FieldError[] = [];
  for (const [at, { matchConditions = [] }] of webhooks.entries()) {
    const compiled = compileConditions(matchConditions, compiler, { hasAuthorizer: true });
    errors.push(...errorsOf(compiled, (i) => `webhooks[${at}].matchConditions[${i}].expression`));
    yield;
  }
  return errors;
}

export function* checkValidatingPolicy(policy: KubeObject): Judgement {
  const pieces = piecesOfValidatingPolicy(policy as unknown as ValidatingAdmissionPolicy, new ExpressionCompiler());
  const compiled = yield* pieces;
  const { conditions, variables, validations, messages, annotations } = compiled;
  return [
    ...errorsOf(conditions, (i) => `spec.matchConditions[${i}].expression`),
    ...errorsOf([...variables.values()], (i) => `spec.variables[${i}].expression`),
    ...validations.flatMap((one, i) => [
      ...errorsOf([one], () => `spec.validations[${i}].expression`),
      ...errorsOf([messages[i]], () => `spec.validations[${i}].messageExpression`),
    ]),
    ...errorsOf(annotations, (i) => `spec.auditAnnotations[${i}].valueExpression`),
  ];
}

export function* checkMutatingPolicy(object: KubeObject): Judgement {
  const policy = object as unknown as MutatingAdmissionPolicy;
  const { conditions, variables, mutations } = yield* piecesOfMutatingPolicy(policy, new ExpressionCompiler());
  const sort = (i: number): string =>
    policy.spec.mutations?.[i]?.patchType === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration';
  return [
    ...errorsOf(conditions, (i) => `spec.matchConditions[${i}].expression`),
    ...errorsOf([...variables.values()], (i) => `spec.variables[${i}].expression`),
    ...errorsOf(mutations, (i) => `spec.mutations[${i}].${sort(i)}.expression`),
  ];
}

function errorsOf(
  expressions: readonly (CompiledExpression | undefined)[],
  pathOf: (at: number) => string,
): readonly FieldError[] {
  return expressions.flatMap((compiled, at) =>
    compiled?.error === undefined ? [] : [field.invalid(pathOf(at), compiled.source, compiled.error)],
  );
}
