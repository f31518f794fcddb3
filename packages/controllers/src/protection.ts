import type { KubeObject } from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from './controller-kit.ts';

/** What is kept while it is used, and how one knows. */
export interface Protected<T extends KubeObject> {
  /** The controller's name. */
  readonly name: string;
  readonly ref: ResourceRef<T>;
  readonly objects: Informer<T>;
  readonly finalizer: string;
  /** Whatever else has to be known before anything is let go. */
  readonly caches: readonly { whenSynced(signal?: AbortSignal): Promise<void> }[];
  /** Asked for objects that are going only. */
  isUsed(object: T, context: SyncContext): boolean | Promise<boolean>;
}

/** Gives each object of a kind the finalizer that keeps it, and takes it away when it is to go and nobody uses it. */
export function runProtection<T extends KubeObject>(kit: ControllerKit, kind: Protected<T>): Controller {
  const { name, ref, objects, finalizer } = kind;
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const object = objects.get(key);
    if (object === undefined || !isDue(object, finalizer)) return;
    const { deletionTimestamp, namespace, finalizers = [] } = object.metadata;
    const goes = deletionTimestamp !== undefined;
    if (goes && (await kind.isUsed(object, context))) return;
    const after = goes ? finalizers.filter((one) => one !== finalizer) : [...finalizers, finalizer];
    const metadata = { ...object.metadata, finalizers: after };
    await kit.client.resource(ref, namespace).update({ ...object, metadata }, undefined, context);
  };
  const controller = runController({
    name,
    about: ref,
    world: kit.world,
    scope: kit.scope,
    caches: [objects, ...kind.caches],
    sync,
  });
  const follow = (event: string, object: T): void => {
    if (isDue(object, finalizer)) controller.enqueue(cacheKey(object), triggerOf(event, object));
  };
  kit.scope.defer(
    objects.subscribe({
      add: (object) => follow('ADDED', object),
      update: (_before, object) => follow('MODIFIED', object),
    }),
  );
  return controller;
}

/** It has the finalizer and is to go, or has to get it. */
function isDue({ metadata }: KubeObject, finalizer: string): boolean {
  const has = metadata.finalizers?.includes(finalizer) === true;
  return has === (metadata.deletionTimestamp !== undefined);
}
