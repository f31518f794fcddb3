import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { isNamespaceTerminating, NAMESPACES } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { Draft, Informer, ResourceClient } from '@binnacle/client';
import { enqueueOn, isNamespaceTerminating as isTerminating, runController } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from './controller-kit.ts';

export interface PerNamespaceOptions<T extends KubeObject> {
  readonly controller: string;
  readonly ref: ResourceRef<T>;
  /** The name that the object has in every namespace. */
  readonly name: string;
  draft(): Draft<T>;
  /** What an existing object should be; the same one when it is right. */
  mend(existing: T): T;
  /** Keeps score of looks at namespaces. Absent: nobody does. */
  readonly around?: (look: () => Promise<void>) => Promise<void>;
}

/** Keeps one object of a given name in every namespace that is not going away. The queue's keys are namespaces. */
export function runPerNamespace<T extends KubeObject>(kit: ControllerKit, options: PerNamespaceOptions<T>): Controller {
  const namespaces = kit.informers.need(NAMESPACES);
  const objects: Informer<T> = kit.informers.need(options.ref, { name: options.name });
  const controller = runController({
    name: options.controller,
    about: NAMESPACES,
    world: kit.world,
    scope: kit.scope,
    caches: [namespaces, objects],
    sync: async (key, context) => {
      const look = (): Promise<void> => keep(key, context);
      await (options.around === undefined ? look() : options.around(look));
    },
  });
  const keep = async (key: string, context: SyncContext): Promise<void> => {
    const namespace = namespaces.get(key);
    if (namespace === undefined || isNamespaceTerminating(namespace)) return;
    const existing = objects.get(`${key}/${options.name}`);
    const client = kit.client.resource(options.ref, key);
    if (existing === undefined) await createUnlessThere(client, options.draft(), context);
    else if (options.mend(existing) !== existing) await client.update(options.mend(existing), undefined, context);
  };
  kit.scope.defer(enqueueOn(namespaces, controller, (namespace) => [namespace.metadata.name ?? '']));
  kit.scope.defer(enqueueOn(objects, controller, (object) => [object.metadata.namespace ?? '']));
  return controller;
}

async function createUnlessThere<T extends KubeObject>(
  client: ResourceClient<T>,
  draft: Draft<T>,
  context: Parameters<ResourceClient<T>['create']>[2],
): Promise<void> {
  try {
    await client.create(draft, undefined, context);
  } catch (error) {
    // There already, or the namespace began to go (or went) in the meantime. What is refused otherwise may be allowed later.
    if (status.isAlreadyExists(error) || isTerminating(error) || status.isNotFound(error)) return;
    throw error;
  }
}
