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
import { compileMutatingPolicy, compileValidatingPolicy } from './policy-expressions.ts';

interface Configuration {
  readonly webhooks?: readonly { readonly matchConditions?: readonly MatchCondition[] }[];
}

/** The conditions of webhooks. */
export function checkWebhookConditions(configuration: KubeObject): FieldError[] {
  const { webhooks = [] } = configuration as KubeObject & Configuration;
  const compiler = new ExpressionCompiler();
  return webhooks.flatMap(({ matchConditions = [] }, at) =>
    errorsOf(
      compileConditions(matchConditions, compiler, { hasAuthorizer: true }),
      (i) => `webhooks[${at}].matchConditions[${i}].expression`,
    ),
  );
}

export function checkValidatingPolicy(policy: KubeObject): FieldError[] {
  const compiled = compileValidatingPolicy(policy as unknown as ValidatingAdmissionPolicy, new ExpressionCompiler());
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

export function checkMutatingPolicy(object: KubeObject): FieldError[] {
  const policy = object as unknown as MutatingAdmissionPolicy;
  const { conditions, variables, mutations } = compileMutatingPolicy(policy, new ExpressionCompiler());
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
