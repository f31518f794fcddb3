import { getCondition, isConditionTrue } from '@binnacle/api';
import type { ResourceClaim } from '@binnacle/api/resource/v1';

/** Whether all devices of a claim are made ready for its pods; `failed`: one will not be, and why. */
export type Readiness = 'ready' | 'waiting' | { readonly failed: string };

/** Whether a claim has devices that somebody makes ready before pods are bound. */
export function hasBindingConditions({ status }: ResourceClaim): boolean {
  return (status?.allocation?.devices?.results ?? []).some((one) => (one.bindingConditions ?? []).length > 0);
}

/** By the conditions that drivers tell of the devices; those of no device that the claim has count for nothing. */
export function readinessOf({ metadata, status }: ResourceClaim): Readiness {
  let readiness: Readiness = 'ready';
  for (const result of status?.allocation?.devices?.results ?? []) {
    const { bindingConditions = [], bindingFailureConditions = [] } = result;
    if (bindingConditions.length === 0) continue;
    const told = status?.devices?.find(
      ({ driver, pool, device, shareID }) =>
        driver === result.driver && pool === result.pool && device === result.device && shareID === result.shareID,
    )?.conditions;
    const failed = bindingFailureConditions.find((type) => isConditionTrue(told, type));
    if (failed !== undefined) {
      const { reason = '', message = '' } = getCondition(told, failed) ?? {};
      const where = `claim=${metadata.name ?? ''}, reason=${reason}, message=${JSON.stringify(message)}`;
      return { failed: `device binding failed: ${where}` };
    }
    if (!bindingConditions.every((type) => isConditionTrue(told, type))) readiness = 'waiting';
  }
  return readiness;
}

/** Until when its devices have to be ready, in milliseconds of the epoch; undefined: nobody waits for them. */
export function bindingDeadline(claim: ResourceClaim, timeoutMs: number): number | undefined {
  const since = claim.status?.allocation?.allocationTimestamp;
  return since === undefined || !hasBindingConditions(claim) ? undefined : Date.parse(since) + timeoutMs;
}

/** Whether pods wait for the claim's devices in vain: they failed, or took too long. */
export function isBindingHopeless(claim: ResourceClaim, nowMs: number, timeoutMs: number): boolean {
  const readiness = readinessOf(claim);
  if (readiness !== 'waiting') return readiness !== 'ready';
  return nowMs >= (bindingDeadline(claim, timeoutMs) ?? Number.POSITIVE_INFINITY);
}
