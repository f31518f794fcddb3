import { PODS, RESOURCE_CLAIMS } from '@binnacle/api';
import type { Pod, PodExtendedResourceClaimStatus } from '@binnacle/api/core/v1';
import type { AllocationResult, ResourceClaim } from '@binnacle/api/resource/v1';
import type { CallContext } from '@binnacle/base';
import type { Client, ResourceClient } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { ClaimError } from './errors.ts';
import { isReservedFor } from './pod-claims.ts';

/** Kept on claims that have devices, until nobody uses them. */
const FINALIZER = 'resource.kubernetes.io/delete-protection';
const TRIES_MAX = 5;

interface Reservation {
  readonly claim: ResourceClaim;
  readonly pod: Pod;
  readonly allocation: AllocationResult | undefined;
}

/** Writes what was decided for a pod into its claims. */
export class ClaimWriter {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The claim is for the pod, with these devices where it has none; as it was written. Throws ClaimError, StatusError. */
  async reserve(
    seen: ResourceClaim,
    { pod, allocation }: { readonly pod: Pod; readonly allocation: AllocationResult | undefined },
    context: CallContext,
  ): Promise<ResourceClaim> {
    const claims = this.#claims(seen);
    const { namespace = '', name = '' } = seen.metadata;
    for (let tries = 1, claim = seen; ; tries++) {
      const obstacle = whyNot(claim, seen, allocation);
      if (obstacle !== undefined) throw new ClaimError(`claim ${namespace}/${name} ${obstacle}`);
      try {
        return await this.#write(claims, { claim, pod, allocation }, context);
      } catch (error) {
        if (!status.isConflict(error) || tries >= TRIES_MAX) throw error;
      }
      claim = await claims.get(name, context);
    }
  }

  /** The pod does not need the claim after all. */
  async unreserve({ metadata }: ResourceClaim, pod: Pod, context: CallContext): Promise<void> {
    const reservedFor = [{ $patch: 'delete', uid: pod.metadata.uid }];
    const patch = { metadata: { uid: metadata.uid }, status: { reservedFor } };
    const options = { subresource: 'status' };
    await this.#claims({ metadata }).patch(metadata.name ?? '', 'strategic', patch, options, context);
  }

  /** Makes a claim that has no name yet, protected as it is to have devices at once: that is a write less. */
  async make({ metadata, spec }: ResourceClaim, context: CallContext): Promise<ResourceClaim> {
    const { uid: _, ...named } = metadata;
    const made = { metadata: { ...named, finalizers: [FINALIZER] }, spec };
    return this.#claims({ metadata }).create(made, undefined, context);
  }

  /** The claim goes with its devices; gone already is fine. */
  async remove(seen: ResourceClaim, context: CallContext): Promise<void> {
    const claims = this.#claims(seen);
    const { name = '', uid } = seen.metadata;
    for (let tries = 1; ; tries++) {
      try {
        const claim = await claims.get(name, context);
        if (claim.metadata.uid !== uid) return;
        const { finalizers = [] } = claim.metadata;
        if (finalizers.includes(FINALIZER)) {
          const left = finalizers.filter((one) => one !== FINALIZER);
          await claims.update({ ...claim, metadata: { ...claim.metadata, finalizers: left } }, undefined, context);
        }
        await claims.delete(name, uid === undefined ? {} : { preconditions: { uid } }, context);
        return;
      } catch (error) {
        if (status.isNotFound(error)) return;
        if (!status.isConflict(error) || tries >= TRIES_MAX) throw error;
      }
    }
  }

  /** The pod says which claim it has for its extended resources; undefined: none, any more. */
  async tell(
    { metadata }: Pod,
    extendedResourceClaimStatus: PodExtendedResourceClaimStatus | undefined,
    context: CallContext,
  ): Promise<void> {
    const { namespace, name = '', uid } = metadata;
    const patch = {
      metadata: { uid },
      status: { extendedResourceClaimStatus: extendedResourceClaimStatus ?? null },
    };
    await this.#client.resource(PODS, namespace).patch(name, 'merge', patch, { subresource: 'status' }, context);
  }

  /** Nobody has the claim's devices any more: others may be chosen. False: it is another claim by now. */
  async deallocate(claim: ResourceClaim, context: CallContext): Promise<boolean> {
    try {
      await this.#claims(claim).updateStatus({ ...claim, status: {} }, undefined, context);
      return true;
    } catch (error) {
      if (status.isConflict(error) || status.isNotFound(error)) return false;
      throw error;
    }
  }

  async #write(
    claims: ResourceClient<ResourceClaim>,
    { claim: before, pod, allocation }: Reservation,
    context: CallContext,
  ): Promise<ResourceClaim> {
    let claim = before;
    if (allocation !== undefined && claim.metadata.finalizers?.includes(FINALIZER) !== true) {
      const finalizers = [...(claim.metadata.finalizers ?? []), FINALIZER];
      claim = await claims.update({ ...claim, metadata: { ...claim.metadata, finalizers } }, undefined, context);
    }
    const { name = '', uid = '' } = pod.metadata;
    const reservedFor = isReservedFor(claim, pod)
      ? (claim.status?.reservedFor ?? [])
      : [...(claim.status?.reservedFor ?? []), { resource: 'pods', name, uid }];
    const given = allocation === undefined ? {} : { allocation };
    const status = { ...claim.status, ...given, reservedFor };
    return claims.updateStatus({ ...claim, status }, undefined, context);
  }

  #claims({ metadata }: Pick<ResourceClaim, 'metadata'>): ResourceClient<ResourceClaim> {
    return this.#client.resource(RESOURCE_CLAIMS, metadata.namespace);
  }
}

function whyNot(
  claim: ResourceClaim,
  seen: ResourceClaim,
  allocation: AllocationResult | undefined,
): string | undefined {
  if (claim.metadata.uid !== seen.metadata.uid) return 'got deleted in the meantime';
  if (claim.metadata.deletionTimestamp !== undefined) return 'got deleted in the meantime';
  const has = claim.status?.allocation !== undefined;
  if (allocation !== undefined && has) return 'got allocated elsewhere in the meantime';
  return allocation === undefined && !has ? 'got deallocated elsewhere in the meantime' : undefined;
}
