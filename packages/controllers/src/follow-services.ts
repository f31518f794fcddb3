import type { Scope } from '@binnacle/base';
import type { Pod, Service } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { NOTHING, selectorFromSet } from '@binnacle/machinery';
import type { Selector } from '@binnacle/machinery';
import { gatherMs, triggerOf } from '@binnacle/reconcile';
import type { Controller, Trigger } from '@binnacle/reconcile';
import { concernsEndpoints } from './service-endpoints.ts';
import { SelectedPods } from './selected-pods.ts';

/** Wakes the services that a change concerns. */
export interface FollowedServices {
  readonly index: SelectedPods;
  /** Makes the services due that select the pod; why is put into words only where there is one. */
  wakeOf(pod: Pod, why: () => Trigger): void;
}

/**
 * Makes a service due when it changes, and when a pod that it selects, or selected, changes in what services publish.
 * Changes of a service with many pods are gathered for a moment.
 */
export function followServices(
  caches: { readonly services: Informer<Service>; readonly pods: Informer<Pod> },
  controller: Controller,
  scope: Scope,
): FollowedServices {
  const index = new SelectedPods(caches.pods);
  const wakeOf = (pod: Pod, why: () => Trigger): void => {
    const selecting = index.selectorsOf(pod);
    if (selecting.length === 0) return;
    const trigger = why();
    for (const key of selecting) controller.enqueueAfter(key, gatherMs(index.countOf(key)), trigger);
  };
  const follow = (event: string, service: Service): void => {
    index.set(cacheKey(service), service.metadata.namespace ?? '', selectorOf(service));
    controller.enqueue(cacheKey(service), triggerOf(event, service));
  };
  scope.defer(
    caches.services.subscribe({
      add: (service) => follow('ADDED', service),
      update: (_before, service) => follow('MODIFIED', service),
      remove: (service) => {
        index.remove(cacheKey(service));
        controller.enqueue(cacheKey(service), triggerOf('DELETED', service));
      },
    }),
  );
  scope.defer(
    caches.pods.subscribe({
      add: (pod) => {
        index.movePod(undefined, pod);
        if (concernsEndpoints(undefined, pod)) wakeOf(pod, () => triggerOf('ADDED', pod));
      },
      update: (before, after) => {
        index.movePod(before, after);
        if (!concernsEndpoints(before, after)) return;
        const why = (): Trigger => triggerOf('MODIFIED', after);
        wakeOf(before, why);
        wakeOf(after, why);
      },
      remove: (pod) => {
        index.movePod(pod, undefined);
        if (concernsEndpoints(pod, undefined)) wakeOf(pod, () => triggerOf('DELETED', pod));
      },
    }),
  );
  return { index, wakeOf };
}

/** One without a selector selects nothing. */
function selectorOf({ spec: { selector = {} } }: Service): Selector {
  return Object.keys(selector).length === 0 ? NOTHING : selectorFromSet(selector);
}
