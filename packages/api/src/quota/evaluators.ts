import type { GroupResource, KubeObject } from '@binnacle/machinery';
import { quantityOf } from '@binnacle/machinery';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../generated/core-v1.ts';
import { CLAIM_EVALUATOR } from './claim-evaluator.ts';
import { deviceClaimEvaluator } from './device-claim-evaluator.ts';
import type { DeviceCounting } from './device-claim-evaluator.ts';
import { POD_EVALUATOR } from './pod-evaluator.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';
import { SERVICE_EVALUATOR } from './service-evaluator.ts';

const EVALUATORS: { readonly [resource: string]: QuotaEvaluator } = {
  pods: POD_EVALUATOR,
  services: SERVICE_EVALUATOR,
  persistentvolumeclaims: CLAIM_EVALUATOR,
};
const DEVICE_CLAIMS = 'resourceclaims.resource.k8s.io';

/** Kinds that were counted under their plain names before `count/…`. */
const PLAIN_NAMES = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);

/** Kinds that nobody counts: there is no telling how many there will be. */
const UNCOUNTED = new Set(['events', 'events.events.k8s.io']);

/** How objects of a resource count; undefined: they do not. Every namespaced kind counts at least by its number. */
export type QuotaEvaluators = (kind: GroupResource) => QuotaEvaluator | undefined;

/** The evaluators of all kinds. */
export function quotaEvaluators(devices: DeviceCounting): QuotaEvaluators {
  const deviceClaims = deviceClaimEvaluator(devices);
  return ({ group, resource }) => {
    const name = group === '' ? resource : `${resource}.${group}`;
    if (UNCOUNTED.has(name)) return undefined;
    if (name === DEVICE_CLAIMS) return deviceClaims;
    return Object.hasOwn(EVALUATORS, name) ? EVALUATORS[name] : countEvaluator(name);
  };
}

function countEvaluator(resource: string): QuotaEvaluator {
  const names = new Set([`count/${resource}`, ...(PLAIN_NAMES.has(resource) ? [resource] : [])]);
  const usage = new Map([...names].map((name) => [name, quantityOf(1)]));
  return { counts: (name) => names.has(name), usage: () => usage };
}

/** What a quota is about: its scopes and those of its selector. */
export function quotaScopes({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  const scopes = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const }));
  return [...scopes, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Whether the object is in every scope of the quota. */
export function isInQuotaScopes(evaluator: QuotaEvaluator, quota: ResourceQuota, object: KubeObject): boolean {
  return quotaScopes(quota).every((selector) => evaluator.inScope?.(object, selector) === true);
}
