import { isNodeReady, NODES, PODS, wellknown } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import { getOrUndefined, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext, Trigger } from '@binnacle/reconcile';
import type { ControllerKit, StartOptions } from '../controller-kit.ts';
import { disruptPod } from '../disrupt-pod.ts';
import { collectionFigures } from './figures.ts';
import { runTerminatedPodCollector } from './terminated.ts';
import { BY_NODE, PODS_BY_NODE } from '../pods-by-node.ts';

/** A node that is deleted and made again at once keeps its pods. */
const QUARANTINE_MS = 40_000;
/** Upstream looks for the others so often. */
const UNPLACED_MS = 20_000;

/** Starts the controller that removes pods nobody else can: their node is gone, or they go without ever having had one. */
export function runPodGarbageCollector(kit: ControllerKit, options: StartOptions): readonly Controller[] {
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_NODE });
  const nodes = kit.informers.need(NODES);
  const counted = collectionFigures(kit.figures);
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const pod = pods.get(key);
    if (pod === undefined) return;
    const node = pod.spec.nodeName ?? '';
    if (node === '') {
      if (pod.metadata.deletionTimestamp === undefined) return;
      // Somebody deleted it: no disruption that its Job should pass over.
      await counted(pod, 'unscheduled', () => disruptPod(kit, { pod, force: true }, context));
      return;
    }
    const cached = nodes.get(node);
    if (cached !== undefined && isAbandoned(pod, cached)) {
      return counted(pod, 'out-of-service', () => disruptPod(kit, { pod, force: true }, context));
    }
    const found = cached ?? (await getOrUndefined(kit.client.resource(NODES), node, context));
    if (found !== undefined) return;
    const why = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
    await counted(pod, 'orphaned', () => disruptPod(kit, { pod, why, force: true }, context));
  };
  const controller = runController({
    name: 'pod-garbage-collector-controller',
    about: { group: '', resource: 'pods' },
    world: kit.world,
    scope: kit.scope,
    caches: [pods, nodes],
    sync,
  });
  const follow = (pod: Pod, trigger: Trigger): void => {
    const node = pod.spec.nodeName ?? '';
    const host = nodes.get(node);
    if (host !== undefined && isAbandoned(pod, host)) return controller.enqueue(cacheKey(pod), trigger);
    if (node !== '') {
      if (host === undefined) controller.enqueueAfter(cacheKey(pod), QUARANTINE_MS, trigger);
    } else if (pod.metadata.deletionTimestamp !== undefined) {
      controller.enqueueAfter(cacheKey(pod), UNPLACED_MS, trigger);
    }
  };
  const followOn = (event: string, node: Node): void => {
    for (const pod of pods.byIndex(BY_NODE, node.metadata.name ?? '')) follow(pod, triggerOf(event, node));
  };
  kit.scope.defer(
    pods.subscribe({
      add: (pod) => follow(pod, triggerOf('ADDED', pod)),
      update: (before, after) => {
        const moved = before.spec.nodeName !== after.spec.nodeName;
        if (moved || before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp)
          follow(after, triggerOf('MODIFIED', after));
      },
    }),
  );
  kit.scope.defer(
    nodes.subscribe({
      add: (node) => followOn('ADDED', node),
      update: (before, node) => {
        if (isOutOfService(before) !== isOutOfService(node)) followOn('MODIFIED', node);
      },
      remove: (node) => {
        for (const pod of pods.byIndex(BY_NODE, node.metadata.name ?? ''))
          controller.enqueueAfter(cacheKey(pod), QUARANTINE_MS, triggerOf('DELETED', node));
      },
    }),
  );
  return [controller, ...runTerminatedPodCollector(kit, pods, options.terminatedPodThreshold)];
}

/** Its node's operator says that nothing runs there, so nobody will ever end it. */
function isAbandoned(pod: Pod, node: Node): boolean {
  return pod.metadata.deletionTimestamp !== undefined && isOutOfService(node);
}

function isOutOfService(node: Node): boolean {
  return !isNodeReady(node) && node.spec.taints?.some(({ key }) => key === wellknown.TAINT_OUT_OF_SERVICE) === true;
}
