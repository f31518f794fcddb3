import { NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import { getOrUndefined, runController } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { disruptPod } from '../disrupt-pod.ts';
import { BY_NODE, PODS_BY_NODE } from '../pods-by-node.ts';

/** A node that is deleted and made again at once keeps its pods. */
const QUARANTINE_MS = 40_000;

/** Starts the controller that removes pods nobody else can: their node is gone, or they go without ever having had one. */
export function runPodGarbageCollector(kit: ControllerKit): Controller {
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_NODE });
  const nodes = kit.informers.need(NODES);
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const pod = pods.get(key);
    if (pod === undefined) return;
    const node = pod.spec.nodeName ?? '';
    if (node === '') {
      if (pod.metadata.deletionTimestamp === undefined) return;
      const why = { reason: 'DeletionByPodGC', message: 'PodGC: unscheduled pod is being deleted' };
      await disruptPod(kit, { pod, why, force: true }, context);
      return;
    }
    if (
      nodes.get(node) !== undefined ||
      (await getOrUndefined(kit.client.resource(NODES), node, context)) !== undefined
    )
      return;
    const why = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
    await disruptPod(kit, { pod, why, force: true }, context);
  };
  const controller = runController({
    name: 'pod-garbage-collector-controller',
    about: { group: '', resource: 'pods' },
    world: kit.world,
    scope: kit.scope,
    caches: [pods, nodes],
    sync,
  });
  const follow = (pod: Pod): void => {
    const node = pod.spec.nodeName ?? '';
    if (node === '' ? pod.metadata.deletionTimestamp !== undefined : nodes.get(node) === undefined) {
      controller.enqueueAfter(cacheKey(pod), QUARANTINE_MS);
    }
  };
  kit.scope.defer(
    pods.subscribe({
      add: follow,
      update: (before, after) => {
        const moved = before.spec.nodeName !== after.spec.nodeName;
        if (moved || before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp) follow(after);
      },
    }),
  );
  kit.scope.defer(
    nodes.subscribe({
      remove: (node) => {
        for (const pod of pods.byIndex(BY_NODE, node.metadata.name ?? ''))
          controller.enqueueAfter(cacheKey(pod), QUARANTINE_MS);
      },
    }),
  );
  return controller;
}
