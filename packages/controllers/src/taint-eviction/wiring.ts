import { deepEqual } from '@binnacle/machinery';
import { isPodTerminating, NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { disruptPod } from '../disrupt-pod.ts';
import { BY_NODE, PODS_BY_NODE } from '../pods-by-node.ts';
import { evictionTimeMs } from './decide.ts';
import { TaintTimes } from './taint-times.ts';

/** Why its Events are. */
const EVICTION = 'TaintManagerEviction';

const WHY = { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' };

/** Starts the controller that deletes pods from nodes whose NoExecute taints they do not (or no longer) tolerate. */
export function runTaintEvictionController(kit: ControllerKit): Controller {
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_NODE });
  const nodes = kit.informers.need(NODES);
  const events = recorderFor(kit, 'taint-eviction-controller');
  const times = new TaintTimes();
  /** Pods that have to leave when their time is up, by key and uid. */
  const leaving = new Map<string, string>();
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const pod = pods.get(key);
    const node = nodes.get(pod?.spec.nodeName ?? '');
    if (pod === undefined || node === undefined) return;
    const now = kit.world.clock.now();
    const leaveAt = evictionTimeMs(pod, node, { nowMs: now, sinceMs: (taint) => times.since(node, taint) });
    if (leaveAt === undefined) {
      if (leaving.get(key) !== (pod.metadata.uid ?? '') || isPodTerminating(pod)) return;
      leaving.delete(key);
      events.event(referenceTo(PODS, pod), 'Normal', EVICTION, `Cancelling deletion of Pod ${key}`, context);
      return;
    }
    if (leaveAt > now) {
      leaving.set(key, pod.metadata.uid ?? '');
      context.requeueAfter(leaveAt - now);
      return;
    }
    leaving.delete(key);
    events.event(referenceTo(PODS, pod), 'Normal', EVICTION, `Marking for deletion Pod ${key}`, context);
    await disruptPod(kit, { pod, why: WHY }, context);
  };
  const controller = runController({
    name: 'taint-eviction-controller',
    about: { group: '', resource: 'pods' },
    world: kit.world,
    scope: kit.scope,
    caches: [pods, nodes],
    sync,
  });
  const follow = (pod: Pod): void => {
    const node = nodes.get(pod.spec.nodeName ?? '');
    const tainted = node?.spec.taints?.some((taint) => taint.effect === 'NoExecute') === true;
    if (tainted || leaving.has(cacheKey(pod))) controller.enqueue(cacheKey(pod), triggerOf('MODIFIED', pod));
  };
  const followAll = (node: string): void => {
    for (const pod of pods.byIndex(BY_NODE, node)) follow(pod);
  };
  kit.scope.defer(
    pods.subscribe({
      add: follow,
      update: (before, after) => {
        const same = before.spec.nodeName === after.spec.nodeName;
        if (!same || !deepEqual(before.spec.tolerations, after.spec.tolerations)) follow(after);
      },
      remove: (pod) => leaving.delete(cacheKey(pod)),
    }),
  );
  kit.scope.defer(
    nodes.subscribe({
      add: (node) => {
        times.follow(node, kit.world.clock.now());
        followAll(node.metadata.name ?? '');
      },
      update: (before, after) => {
        if (deepEqual(before.spec.taints, after.spec.taints)) return;
        times.follow(after, kit.world.clock.now());
        followAll(after.metadata.name ?? '');
      },
      remove: (node) => times.forget(node),
    }),
  );
  return controller;
}
