import { messageOf } from '@binnacle/base';
import { NODES, PODS, SERVICES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { referenceTo } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { followServices } from '../follow-services.ts';
import type { FollowedServices } from '../follow-services.ts';
import { BY_NODE, PODS_BY_NODE } from '../pods-by-node.ts';
import { isManaged, zoneLabel } from '../service-endpoints.ts';
import { SliceWriter } from '../slice-writer.ts';
import { EndpointSliceFigures } from './figures.ts';
import { followShares } from './follow-shares.ts';
import { MANAGER, SlicePublisher } from './publish.ts';

/** Starts the controller that publishes in EndpointSlices where the pods of each service are reached. */
export function runEndpointSliceController(kit: ControllerKit): Controller {
  const services = kit.informers.need(SERVICES);
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_NODE });
  const nodes = kit.informers.need(NODES);
  const figures = new EndpointSliceFigures(kit.figures);
  const writer = new SliceWriter(kit, { manager: MANAGER, figures: figures.slices });
  const events = recorderFor(kit, 'endpoint-slice-controller');
  const publisher = new SlicePublisher({
    writer,
    figures,
    events,
    nodeOf: (name) => nodes.get(name),
    shares: () => shares.now(),
  });
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const service = services.get(key);
    if (service === undefined || !isManaged(service)) {
      publisher.forget(key);
      return;
    }
    const wait = writer.waitMs(key);
    if (wait > 0) {
      figures.synced('stale');
      context.postpone(wait + 1);
      return;
    }
    try {
      await publisher.publish({ service, key, pods: followed.index.podsOf(key) }, context);
      figures.synced('success');
    } catch (error) {
      figures.synced('error');
      const why = `Error updating Endpoint Slices for Service ${key}: ${messageOf(error)}`;
      if (!context.signal.aborted) {
        events.event(referenceTo(SERVICES, service), 'Warning', 'FailedToUpdateEndpointSlices', why, context);
      }
      throw error;
    }
  };
  const controller = runController({
    name: 'endpointslice-controller',
    about: { group: '', resource: 'services' },
    world: kit.world,
    scope: kit.scope,
    caches: [services, pods, nodes, writer.cache],
    sync,
  });
  const followed: FollowedServices = followServices({ services, pods }, controller, kit.scope);
  kit.scope.defer(writer.follow(controller));
  const shares = followShares({ nodes, world: kit.world, scope: kit.scope }, (trigger) => {
    for (const key of publisher.hinted()) controller.enqueue(key, trigger);
  });
  const wakeNode = (event: string, node: Node): void => {
    const trigger = triggerOf(event, node);
    for (const pod of pods.byIndex(BY_NODE, node.metadata.name ?? '')) followed.wakeOf(pod, () => trigger);
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
