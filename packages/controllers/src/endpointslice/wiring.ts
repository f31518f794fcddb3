import { messageOf } from '@binnacle/base';
import { deepEqual, isControlledBy } from '@binnacle/machinery';
import { NODES, PODS, SERVICES, wellknown } from '@binnacle/api';
import type { Node, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { referenceTo } from '@binnacle/client';
import { controllerReference, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { ChangeTimes } from '../change-times.ts';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { followServices } from '../follow-services.ts';
import type { FollowedServices } from '../follow-services.ts';
import { BY_NODE, PODS_BY_NODE } from '../pods-by-node.ts';
import { familiesOf, hasAddress, isManaged, LABEL_HEADLESS, zoneLabel } from '../service-endpoints.ts';
import { planSlices } from '../slice-plan.ts';
import { SliceWriter } from '../slice-writer.ts';
import { desiredGroups } from './desired.ts';

const MANAGER = 'endpointslice-controller.k8s.io';
/** Upstream's --max-endpoints-per-slice. */
const ENDPOINTS_MAX = 100;
/** Labels of a slice that are not its service's. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  wellknown.LABEL_SERVICE_NAME,
  wellknown.LABEL_MANAGED_BY,
  LABEL_HEADLESS,
]);

/** Starts the controller that publishes in EndpointSlices where the pods of each service are reached. */
export function runEndpointSliceController(kit: ControllerKit): Controller {
  const services = kit.informers.need(SERVICES);
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_NODE });
  const nodes = kit.informers.need(NODES);
  const writer = new SliceWriter(kit, MANAGER);
  const times = new ChangeTimes();
  const events = recorderFor(kit, 'endpoint-slice-controller');
  const publish = async (service: Service, key: string, context: SyncContext): Promise<void> => {
    const members = followed.index.podsOf(key);
    const changedAt = times.earliestChange(service, members);
    const labels = labelsOf(service);
    const plan = planSlices({
      groups: desiredGroups(service, members, (name) => nodes.get(name)),
      existing: writer.slicesOf(key),
      max: ENDPOINTS_MAX,
      placeholders: familiesOf(service),
      isCurrent: (slice) => isControlledBy(slice, service) && deepEqual(slice.metadata.labels, labels),
    });
    const annotate = (before: { readonly [key: string]: string }): { readonly [key: string]: string } => {
      const { [wellknown.ANNOTATION_ENDPOINTS_CHANGE_TIME]: _last, ...others } = before;
      return changedAt === undefined ? others : { ...others, [wellknown.ANNOTATION_ENDPOINTS_CHANGE_TIME]: changedAt };
    };
    const reference = controllerReference(SERVICES, service);
    await writer.apply({ key, object: service, reference, labels, annotate }, plan, context);
  };
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const service = services.get(key);
    // Its slices go with it: they are its own.
    if (service === undefined) times.forget(key);
    if (service === undefined || !isManaged(service)) return;
    const wait = writer.waitMs(key);
    if (wait > 0) {
      context.requeueAfter(wait + 1);
      return;
    }
    try {
      await publish(service, key, context);
    } catch (error) {
      const why = `Error updating Endpoint Slices for Service ${key}: ${messageOf(error)}`;
      if (!context.signal.aborted) {
        events.event(referenceTo(SERVICES, service), 'Warning', 'FailedToUpdateEndpointSlices', why, context);
      }
      throw error;
    }
  };
  const controller = runController({
    name: 'endpointslice-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [services, pods, nodes, writer.cache],
    sync,
  });
  const followed: FollowedServices = followServices({ services, pods }, controller, kit.scope);
  kit.scope.defer(writer.follow(controller));
  const wakeNode = (event: string, node: Node): void => {
    const trigger = triggerOf(event, node);
    for (const pod of pods.byIndex(BY_NODE, node.metadata.name ?? '')) followed.wakeOf(pod, trigger);
  };
  kit.scope.defer(
    nodes.subscribe({
      add: (node) => wakeNode('ADDED', node),
      update: (before, node) => {
        if (zoneLabel(before.metadata.labels) !== zoneLabel(node.metadata.labels)) wakeNode('MODIFIED', node);
      },
      remove: (node) => wakeNode('DELETED', node),
    }),
  );
  return controller;
}

/** The service's labels, and those that say whose the slice is. */
function labelsOf(service: Service): NonNullable<EndpointSlice['metadata']['labels']> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([label]) => !OWN_LABELS.has(label));
  return {
    ...Object.fromEntries(own),
    ...(hasAddress(service.spec) ? {} : { [LABEL_HEADLESS]: '' }),
    [wellknown.LABEL_SERVICE_NAME]: service.metadata.name ?? '',
    [wellknown.LABEL_MANAGED_BY]: MANAGER,
  };
}
