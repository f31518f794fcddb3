import { messageOf } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { actOnEach } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { deleteIfThere } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import type { DiscoveredResource } from '../discovery.ts';

/** What is left of one resource in a namespace after everything was told to go. */
export interface Leftover {
  readonly resource: DiscoveredResource;
  readonly count: number;
  readonly finalizers: ReadonlyMap<string, number>;
  /** How long the slowest of them has to end by itself, s. */
  readonly graceSeconds: number;
  /** Why some could not be deleted. */
  readonly failure: string | undefined;
}

/** Resources that have content to delete: namespaced, with list and a way of deleting. */
export function deletable(resources: readonly DiscoveredResource[]): readonly DiscoveredResource[] {
  return resources.filter(
    ({ namespaced, verbs }) =>
      namespaced && verbs.includes('list') && (verbs.includes('delete') || verbs.includes('deletecollection')),
  );
}

/** Deletes all objects of a resource in a namespace and tells what is still there. */
export async function deleteContent(
  client: Client,
  target: { readonly resource: DiscoveredResource; readonly namespace: string },
  context: SyncContext,
): Promise<Leftover> {
  const { resource, namespace } = target;
  const objects = client.dynamic(resource, namespace);
  let failure: string | undefined;
  let left: readonly KubeObject[] = [];
  try {
    left = (await objects.list(undefined, context)).items;
    if (left.some((object) => object.metadata.deletionTimestamp === undefined)) {
      await deleteAll(client, { ...target, objects: left }, context);
      left = (await objects.list(undefined, context)).items;
    }
  } catch (error) {
    if (context.signal.aborted) throw error;
    // A kind that went away between discovery and now has no objects.
    if (!status.isNotFound(error)) failure = `${resource.resource}: ${messageOf(error)}`;
  }
  return { resource, count: left.length, finalizers: countFinalizers(left), graceSeconds: longestGrace(left), failure };
}

async function deleteAll(
  client: Client,
  target: { resource: DiscoveredResource; namespace: string; objects: readonly KubeObject[] },
  context: SyncContext,
): Promise<void> {
  const objects = client.dynamic(target.resource, target.namespace);
  const options = { propagationPolicy: 'Background' } as const;
  if (target.resource.verbs.includes('deletecollection')) {
    await objects.deleteCollection(undefined, options, context);
    return;
  }
  await actOnEach(target.objects, ({ metadata }) =>
    deleteIfThere({ client: objects, context }, metadata.name ?? '', options),
  );
}

function countFinalizers(objects: readonly KubeObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const object of objects) {
    for (const name of object.metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function longestGrace(objects: readonly KubeObject[]): number {
  return objects.reduce((most, object) => Math.max(most, object.metadata.deletionGracePeriodSeconds ?? 0), 0);
}
