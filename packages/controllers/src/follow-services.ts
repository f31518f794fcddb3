import type { Scope } from '@binnacle/base';
import type { Pod, Service } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { gatherMs, triggerOf } from '@binnacle/reconcile';
import type { Controller, Trigger } from '@binnacle/reconcile';
import { concernsEndpoints } from './service-endpoints.ts';
import { ServicePods } from './service-pods.ts';

/** Wakes the services that a change concerns. */
export interface FollowedServices {
  readonly index: ServicePods;
  /** Makes the services due that select the pod. */
  wakeOf(pod: Pod, trigger: Trigger): void;
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
  const index = new ServicePods(caches.pods);
  const wakeOf = (pod: Pod, trigger: Trigger): void => {
    for (const key of index.servicesOf(pod)) controller.enqueueAfter(key, gatherMs(index.countOf(key)), trigger);
  };
  const follow = (event: string, service: Service): void => {
    index.setService(service);
    controller.enqueue(cacheKey(service), triggerOf(event, service));
  };
  scope.defer(
    caches.services.subscribe({
      add: (service) => follow('ADDED', service),
      update: (_before, service) => follow('MODIFIED', service),
      remove: (service) => {
        index.removeService(cacheKey(service));
        controller.enqueue(cacheKey(service), triggerOf('DELETED', service));
      },
    }),
  );
  scope.defer(
    caches.pods.subscribe({
      add: (pod) => {
        index.movePod(undefined, pod);
        wakeOf(pod, triggerOf('ADDED', pod));
      },
      update: (before, after) => {
        index.movePod(before, after);
        if (!concernsEndpoints(before, after)) return;
        const trigger = triggerOf('MODIFIED', after);
        wakeOf(before, trigger);
        wakeOf(after, trigger);
      },
      remove: (pod) => {
        index.movePod(pod, undefined);
        wakeOf(pod, triggerOf('DELETED', pod));
      },
    }),
  );
  return { index, wakeOf };
}
