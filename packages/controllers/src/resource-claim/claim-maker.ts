import { PODS, RESOURCE_CLAIMS } from '@binnacle/api';
import type { Pod, PodResourceClaim } from '@binnacle/api/core/v1';
import type { ResourceClaim, ResourceClaimTemplate } from '@binnacle/api/resource/v1';
import { messageOf } from '@binnacle/base';
import { referenceTo } from '@binnacle/client';
import type { EventRecorder, Informer } from '@binnacle/client';
import { isControlledBy } from '@binnacle/machinery';
import { controllerReference, getOrUndefined } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { claimKeyOf } from '../claims-of-devices.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { NoTemplateError } from '../errors.ts';
import { BY_OWNER } from './claim-keeper.ts';
import { FOR_CLAIM } from './figures.ts';
import type { creationFigures } from './figures.ts';
import { claimNameBase } from './names.ts';

/** A claim has room for so many pods. */
const CONSUMERS_MAX = 256;

interface Parts {
  readonly kit: Pick<ControllerKit, 'client'>;
  readonly claims: Pick<Informer<ResourceClaim>, 'get' | 'byIndex'>;
  readonly templates: Pick<Informer<ResourceClaimTemplate>, 'get'>;
  readonly events: Pick<EventRecorder, 'event'>;
  readonly counted: ReturnType<typeof creationFigures>;
}

/** Provides pods with the claims that they have templates for. */
export class ClaimMaker {
  readonly #parts: Parts;
  /** Made, and not seen in the cache yet: `pod uid/claim` → the claim. */
  readonly #made = new Map<string, ResourceClaim>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The pod is gone: nobody asks for its claims any more. */
  forget({ metadata, spec }: Pod): void {
    for (const { name } of spec.resourceClaims ?? []) this.#made.delete(`${metadata.uid ?? ''}/${name}`);
  }

  /** How many claims were made that the cache did not show yet. */
  get pending(): number {
    return this.#made.size;
  }

  async provide(pod: Pod, context: SyncContext): Promise<void> {
    const named: { name: string; resourceClaimName: string }[] = [];
    for (const asked of pod.spec.resourceClaims ?? []) {
      try {
        const claim = await this.#claimFor(pod, asked, context);
        if (claim !== undefined) named.push({ name: asked.name, resourceClaimName: claim.metadata.name ?? '' });
      } catch (error) {
        if (context.signal.aborted) throw error;
        const why = `PodResourceClaim ${asked.name}: ${messageOf(error)}`;
        this.#parts.events.event(referenceTo(PODS, pod), 'Warning', 'FailedResourceClaimCreation', why, context);
        throw error;
      }
    }
    if (named.length > 0) await this.#tell(pod, named, context);
    if ((pod.spec.nodeName ?? '') !== '') await this.#reserve(pod, context);
  }

  /** The claim made for one that has a template; undefined: it is known already, or none is to be made. */
  async #claimFor(pod: Pod, asked: PodResourceClaim, context: SyncContext): Promise<ResourceClaim | undefined> {
    const { resourceClaimTemplateName: templateName } = asked;
    if (templateName === undefined) return undefined;
    const { kit, claims, templates, counted } = this.#parts;
    const key = claimKeyOf(pod, asked);
    const known = key === undefined ? undefined : claims.get(key);
    const mark = `${pod.metadata.uid ?? ''}/${asked.name}`;
    if (known !== undefined && isControlledBy(known, pod)) {
      this.#made.delete(mark);
      return undefined;
    }
    const isItsClaim = ({ metadata }: ResourceClaim): boolean =>
      metadata.deletionTimestamp === undefined && metadata.annotations?.[FOR_CLAIM] === asked.name;
    const orphan = claims.byIndex(BY_OWNER, pod.metadata.uid ?? '').find(isItsClaim);
    if (orphan !== undefined) {
      this.#made.delete(mark);
      return orphan;
    }
    const made = this.#made.get(mark);
    const { namespace = '', name = '' } = pod.metadata;
    // The pod may know of it before the cache of claims does. Somebody may have deleted it meanwhile, too.
    if (made !== undefined && (await this.#isThere(made, context))) {
      return key === `${namespace}/${made.metadata.name ?? ''}` ? undefined : made;
    }
    const template = templates.get(`${namespace}/${templateName}`);
    if (template === undefined) throw new NoTemplateError(templateName);
    const { labels, annotations } = template.spec.metadata ?? {};
    const metadata = {
      generateName: claimNameBase(name, asked.name),
      ownerReferences: [controllerReference(PODS, pod)],
      annotations: { ...annotations, [FOR_CLAIM]: asked.name },
      ...(labels === undefined ? {} : { labels }),
    };
    const { spec } = template.spec;
    try {
      const created = await kit.client
        .resource(RESOURCE_CLAIMS, namespace)
        .create({ metadata, spec }, undefined, context);
      counted({ spec }, false);
      this.#made.set(mark, created);
      return created;
    } catch (error) {
      counted({ spec }, true);
      throw error;
    }
  }

  async #isThere({ metadata }: ResourceClaim, context: SyncContext): Promise<boolean> {
    const claims = this.#parts.kit.client.resource(RESOURCE_CLAIMS, metadata.namespace);
    const found = await getOrUndefined(claims, metadata.name ?? '', context);
    return found?.metadata.uid === metadata.uid && found?.metadata.deletionTimestamp === undefined;
  }

  async #tell(
    pod: Pod,
    named: readonly { readonly name: string; readonly resourceClaimName: string }[],
    context: SyncContext,
  ): Promise<void> {
    const { namespace, name = '', uid } = pod.metadata;
    const patch = { metadata: { uid }, status: { resourceClaimStatuses: named } };
    const pods = this.#parts.kit.client.resource(PODS, namespace);
    await pods.patch(name, 'strategic', patch, { subresource: 'status' }, context);
  }

  /** Somebody placed the pod who knows nothing of claims: they are for it all the same, when they have their devices. */
  async #reserve(pod: Pod, context: SyncContext): Promise<void> {
    const { kit, claims } = this.#parts;
    for (const asked of pod.spec.resourceClaims ?? []) {
      const key = claimKeyOf(pod, asked);
      const claim = key === undefined ? undefined : claims.get(key);
      if (claim?.status?.allocation === undefined) continue;
      if (asked.resourceClaimTemplateName !== undefined && !isControlledBy(claim, pod)) continue;
      const { reservedFor = [] } = claim.status;
      const { name = '', namespace, uid = '' } = pod.metadata;
      if (reservedFor.some((one) => one.uid === uid) || reservedFor.length >= CONSUMERS_MAX) continue;
      const status = { ...claim.status, reservedFor: [...reservedFor, { resource: 'pods', name, uid }] };
      await kit.client.resource(RESOURCE_CLAIMS, namespace).updateStatus({ ...claim, status }, undefined, context);
    }
  }
}
