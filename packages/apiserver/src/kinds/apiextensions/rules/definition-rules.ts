/** Definitions whose schemas have patterns, defaults or rules: those are checked before the definition is taken. */
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { KindBehaviour } from '../../behaviour.ts';
import { lateChecks } from '../../late-checks.ts';
import { needsCheck } from './has-rules.ts';

export function definitionRules(): Pick<KindBehaviour, 'strategy'> {
  return lateChecks(
    (object) => needsCheck(definitionOf(object).spec.versions),
    async () => {
      const { checkDefinition } = await import('./check-definition.ts');
      return (object, before) =>
        checkDefinition(definitionOf(object), before === undefined ? undefined : definitionOf(before));
    },
  );
}

function definitionOf(object: KubeObject): CustomResourceDefinition {
  return object as unknown as CustomResourceDefinition;
}
