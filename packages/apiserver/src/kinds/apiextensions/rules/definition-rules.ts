/** Definitions whose schemas have rules: those are checked before the definition is taken. */
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import type { KindBehaviour } from '../../behaviour.ts';
import type { checkDefinitionRules } from './check-definition.ts';
import { hasRules } from './has-rules.ts';

type Check = typeof checkDefinitionRules;

/** The checker is large, and loaded with the first definition that needs it. */
export function definitionRules(): Pick<KindBehaviour, 'strategy' | 'checks'> {
  let check: Check | undefined;
  const errorsOf = (object: KubeObject, before?: KubeObject): FieldError[] =>
    hasRules(definitionOf(object).spec.versions)
      ? (check?.(definitionOf(object), before === undefined ? undefined : definitionOf(before)) ?? [])
      : [];
  return {
    strategy: {
      async allocate(object) {
        if (hasRules(definitionOf(object).spec.versions)) {
          check ??= (await import('./check-definition.ts')).checkDefinitionRules;
        }
        return undefined;
      },
    },
    checks: { validate: errorsOf, validateUpdate: errorsOf },
  };
}

function definitionOf(object: KubeObject): CustomResourceDefinition {
  return object as unknown as CustomResourceDefinition;
}
