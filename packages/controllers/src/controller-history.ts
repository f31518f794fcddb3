import { isControlledBy, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { CONTROLLER_REVISIONS, podTemplateHash } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { ControllerRevision } from '@binnacle/api/apps/v1';
import type { PodTemplateSpec } from '@binnacle/api/core/v1';
import { actOnEach } from '@binnacle/client';
import type { Client, Draft } from '@binnacle/client';
import { controllerReference, deleteIfThere, getOrUndefined } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { restsTheSame } from './kept-template.ts';

/** The label of a pod that tells which revision it was made from. */
export const LABEL_REVISION = 'controller-revision-hash';

/** An owner whose template is kept in ControllerRevisions, with those that are its own. */
export interface History<T extends KubeObject> {
  readonly ref: ResourceRef<T>;
  readonly owner: T;
  readonly template: PodTemplateSpec;
  readonly revisions: readonly ControllerRevision[];
  readonly collisionCount: number;
  /** The labels of a new revision, given its hash. */
  labels(hash: string): { readonly [key: string]: string };
}

/** What has to be done so that the newest revision is the owner's template. */
export type HistoryPlan =
  | { readonly kind: 'current'; readonly revision: ControllerRevision }
  /** An older revision is wanted again: it becomes the newest. */
  | { readonly kind: 'raise'; readonly revision: ControllerRevision; readonly to: number }
  | { readonly kind: 'create'; readonly number: number };

/** Lowest first; age and name decide between equals. */
export function sortRevisions(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  const keyOf = ({ metadata }: ControllerRevision): string =>
    `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`;
  return [...revisions].sort((a, b) => a.revision - b.revision || (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Decides by what the revisions hold, not by what they are called: somebody may have changed or deleted some. */
export function planHistory(history: Pick<History<KubeObject>, 'template' | 'revisions'>): HistoryPlan {
  const sorted = sortRevisions(history.revisions);
  const newest = sorted.at(-1);
  const next = (newest?.revision ?? 0) + 1;
  const same = sorted.filter((one) => restsTheSame(templateOf(one), history.template)).at(-1);
  if (same === undefined) return { kind: 'create', number: next };
  return same === newest ? { kind: 'current', revision: same } : { kind: 'raise', revision: same, to: next };
}

/**
 * What a revision keeps of a template. Its members stand in the order of their names, as Go writes a map: kubectl and
 * upstream's controllers compare the bytes of revisions with those that they make themselves.
 */
export function dataOf(template: PodTemplateSpec): { readonly spec: { readonly template: object } } {
  return { spec: { template: inOrder({ ...template, $patch: 'replace' }) as object } };
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Not assigned one by one: a label may be called `__proto__`.
  return Object.fromEntries(members.map(([name, member]) => [name, inOrder(member)]));
}

/** The template that a revision keeps; undefined for data that is not one of ours. */
export function templateOf(revision: ControllerRevision): PodTemplateSpec | undefined {
  const { spec } = (revision.data ?? {}) as { readonly spec?: { readonly template?: PodTemplateSpec } };
  if (spec?.template === undefined) return undefined;
  const { $patch: _patch, ...template } = spec.template as PodTemplateSpec & { readonly $patch?: string };
  return template;
}

/** The revisions that may go: neither in use nor among the `limit` newest of the others. */
export function surplusRevisions(
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  limit: number,
): readonly ControllerRevision[] {
  const idle = sortRevisions(revisions).filter((one) => !isLive(one));
  return idle.slice(0, Math.max(0, idle.length - limit));
}

/** Carries a plan out. Answers the newest revision and how many hashes collided by now. */
export async function recordRevision<T extends KubeObject>(
  client: Client,
  history: History<T>,
  context: SyncContext,
): Promise<{ readonly revision: ControllerRevision; readonly collisionCount: number }> {
  const { collisionCount } = history;
  const plan = planHistory(history);
  if (plan.kind === 'current') return { revision: plan.revision, collisionCount };
  if (plan.kind === 'create') return createRevision(client, { history, number: plan.number }, context);
  const revisions = client.resource(CONTROLLER_REVISIONS, history.owner.metadata.namespace);
  const raised = await revisions.update({ ...plan.revision, revision: plan.to }, undefined, context);
  return { revision: raised, collisionCount };
}

export async function dropRevisions(
  client: Client,
  revisions: readonly ControllerRevision[],
  context: SyncContext,
): Promise<void> {
  await actOnEach(revisions, ({ metadata }) => {
    const all = client.resource(CONTROLLER_REVISIONS, metadata.namespace);
    return deleteIfThere({ client: all, context }, metadata.name ?? '');
  });
}

/** The name is made from the template's hash, so a repeated creation meets its own; a foreign one of that name is a collision. */
async function createRevision<T extends KubeObject>(
  client: Client,
  { history, number }: { readonly history: History<T>; readonly number: number },
  context: SyncContext,
): Promise<{ readonly revision: ControllerRevision; readonly collisionCount: number }> {
  const { owner, ref, template } = history;
  const { name: ownerName = '', namespace, annotations } = owner.metadata;
  const revisions = client.resource(CONTROLLER_REVISIONS, namespace);
  for (let collisionCount = history.collisionCount; ; collisionCount++) {
    const hash = podTemplateHash(template, collisionCount === 0 ? undefined : collisionCount);
    const name = `${ownerName}-${hash}`;
    const draft: Draft<ControllerRevision> = {
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        labels: history.labels(hash),
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerReference(ref, owner)],
      },
      data: dataOf(template),
      revision: number,
    };
    try {
      return { revision: await revisions.create(draft, undefined, context), collisionCount };
    } catch (error) {
      if (!status.isAlreadyExists(error)) throw error;
    }
    const existing = await getOrUndefined(revisions, name, context);
    if (existing !== undefined && isControlledBy(existing, owner) && restsTheSame(templateOf(existing), template)) {
      return { revision: existing, collisionCount };
    }
  }
}
