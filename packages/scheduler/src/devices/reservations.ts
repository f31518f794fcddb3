import type { Pod } from '@binnacle/api/core/v1';
import type { AllocationResult, ResourceClaim } from '@binnacle/api/resource/v1';
import type { CallContext } from '@binnacle/base';
import type { AllocatedDevices } from './allocated-devices.ts';
import type { ClaimWriter } from './claim-writer.ts';
import type { ResourceWish } from './extended-resources.ts';
import { isReservedFor } from './pod-claims.ts';

/** A claim of a pod, with what was decided for it; undefined: it has its devices. */
export interface DecidedClaim {
  readonly claim: ResourceClaim;
  readonly allocation: AllocationResult | undefined;
}

/** A claim for extended resources, which nobody has made yet. */
export interface DecidedResources {
  readonly wish: ResourceWish;
  readonly allocation: AllocationResult;
}

/** What is on its way to be written for a pod: promised as long as the API does not say so. */
export class Reservation {
  readonly #claims: readonly DecidedClaim[];
  readonly #resources: DecidedResources | undefined;
  readonly #allocated: AllocatedDevices;
  /** Those that say already that they are for the pod. */
  readonly #written: ResourceClaim[] = [];
  #made: ResourceClaim | undefined;

  constructor(
    allocated: AllocatedDevices,
    {
      claims,
      resources,
    }: { readonly claims: readonly DecidedClaim[]; readonly resources?: DecidedResources | undefined },
  ) {
    this.#allocated = allocated;
    this.#claims = claims;
    this.#resources = resources;
    for (const { claim, allocation } of this.#open()) allocated.promise(claim.metadata.uid ?? '', allocation);
  }

  /** The claims as they are written. Throws ClaimError, StatusError. */
  async write(pod: Pod, writer: ClaimWriter, context: CallContext): Promise<readonly ResourceClaim[]> {
    const settled: ResourceClaim[] = [];
    for (const { claim, allocation } of this.#claims) {
      if (allocation === undefined && isReservedFor(claim, pod)) {
        settled.push(claim);
        continue;
      }
      settled.push(await writer.reserve(claim, { pod, allocation }, context));
      this.#written.push(claim);
    }
    const made = await this.#writeResources(pod, writer, context);
    return made === undefined ? settled : [...settled, made];
  }

  /** Those that were promised and are not written: nobody has their devices now. */
  withdraw(): readonly (DecidedClaim & { readonly allocation: AllocationResult })[] {
    const open = this.#open().filter(({ claim }) => !this.#written.includes(claim));
    for (const { claim } of open) this.#allocated.withdraw(claim.metadata.uid ?? '');
    if (this.#made !== undefined) this.#allocated.withdraw(this.#made.metadata.uid ?? '');
    return open;
  }

  get isWritten(): boolean {
    return this.#written.length > 0 || this.#made !== undefined;
  }

  /** Takes back what was written; each failure is told, and keeps nothing else from being taken back. */
  async undo(
    pod: Pod,
    {
      writer,
      failed,
    }: { readonly writer: ClaimWriter; readonly failed: (claim: ResourceClaim, error: unknown) => void },
    context: CallContext,
  ): Promise<void> {
    for (const claim of this.#written) {
      try {
        await writer.unreserve(claim, pod, context);
      } catch (error) {
        failed(claim, error);
      }
    }
    if (this.#made === undefined) return;
    try {
      await writer.remove(this.#made, context);
    } catch (error) {
      failed(this.#made, error);
    }
  }

  #open(): readonly (DecidedClaim & { readonly allocation: AllocationResult })[] {
    const open = this.#claims.flatMap(({ claim, allocation }) =>
      allocation === undefined ? [] : [{ claim, allocation }],
    );
    if (this.#resources === undefined) return open;
    return [...open, { claim: this.#resources.wish.claim, allocation: this.#resources.allocation }];
  }

  /** Makes the claim, gives it its devices, and has the pod say whose they are. */
  async #writeResources(pod: Pod, writer: ClaimWriter, context: CallContext): Promise<ResourceClaim | undefined> {
    const wanted = this.#resources;
    if (wanted === undefined) {
      // Where it was to go before it was given devices; now it goes where the resource is.
      if (pod.status?.extendedResourceClaimStatus !== undefined) await writer.tell(pod, undefined, context);
      return undefined;
    }
    const { wish, allocation } = wanted;
    const made = await writer.make(wish.claim, context);
    this.#made = made;
    // One promise takes over from the other: nobody else is to have the devices meanwhile, and nobody to count them twice.
    this.#allocated.withdraw(wish.claim.metadata.uid ?? '');
    this.#allocated.promise(made.metadata.uid ?? '', allocation);
    const written = await writer.reserve(made, { pod, allocation }, context);
    const told = { requestMappings: wish.mappings, resourceClaimName: made.metadata.name ?? '' };
    await writer.tell(pod, told, context);
    return written;
  }
}
