/** Webhooks and policies whose expressions are checked before they are taken. */
import type { KubeObject } from '@binnacle/machinery';
import type { KindBehaviours } from '../behaviour.ts';
import { lateChecks } from '../late-checks.ts';

const load = () => import('../../admission/expressions/check-expressions.ts');

function hasConditions(object: KubeObject): boolean {
  const { webhooks = [] } = object as KubeObject & {
    readonly webhooks?: readonly { readonly matchConditions?: readonly unknown[] }[];
  };
  return webhooks.some(({ matchConditions = [] }) => matchConditions.length > 0);
}

export function expressionChecks(): KindBehaviours {
  const conditions = () => lateChecks(hasConditions, async () => (await load()).checkWebhookConditions);
  return {
    'mutatingwebhookconfigurations.admissionregistration.k8s.io': conditions(),
    'validatingwebhookconfigurations.admissionregistration.k8s.io': conditions(),
    'validatingadmissionpolicies.admissionregistration.k8s.io': lateChecks(
      () => true,
      async () => (await load()).checkValidatingPolicy,
    ),
    'mutatingadmissionpolicies.admissionregistration.k8s.io': lateChecks(
      () => true,
      async () => (await load()).checkMutatingPolicy,
    ),
  };
}
