import { CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES } from '@binnacle/api';
import type { ValidatingAdmissionPolicy } from '@binnacle/api/admissionregistration/v1';
import { cacheKey } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';

/** Starts the controller that tells of a policy what its expressions cannot mean, with each generation of it. */
export function runValidatingAdmissionPolicyStatus(kit: ControllerKit): Controller {
  const policies = kit.informers.need(VALIDATING_ADMISSION_POLICIES);
  const definitions = kit.informers.need(CUSTOM_RESOURCE_DEFINITIONS);
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const policy = policies.get(key);
    if (policy === undefined || !isDue(policy)) return;
    // What reads expressions is large, and loaded with the first policy.
    const { checkTypes } = await import('./type-check.ts');
    const warnings = checkTypes(policy, definitions.list());
    const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
    const status = { ...policy.status, observedGeneration: policy.metadata.generation ?? 0, typeChecking };
    await kit.client.resource(VALIDATING_ADMISSION_POLICIES).updateStatus({ ...policy, status }, undefined, context);
  };
  const controller = runController({
    name: 'validatingadmissionpolicy-status-controller',
    about: VALIDATING_ADMISSION_POLICIES,
    world: kit.world,
    scope: kit.scope,
    caches: [policies, definitions],
    sync,
  });
  const follow = (event: string, policy: ValidatingAdmissionPolicy): void => {
    if (isDue(policy)) controller.enqueue(cacheKey(policy), triggerOf(event, policy));
  };
  kit.scope.defer(
    policies.subscribe({
      add: (policy) => follow('ADDED', policy),
      update: (_before, policy) => follow('MODIFIED', policy),
    }),
  );
  return controller;
}

/** Whether nobody has looked at this generation yet. */
function isDue({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return status?.typeChecking === undefined || status.observedGeneration !== metadata.generation;
}
