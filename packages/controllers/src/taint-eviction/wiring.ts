import { deepEqual } from '@binnacle/machinery';
import { isPodTerminating, NODES, PODS } from '@binnacle/api';
import type { Node, Pod, Taint, Toleration } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { disruptPod } from '../disrupt-pod.ts';
import { EvictionFigures } from '../eviction-figures.ts';
import { BY_NODE, PODS_BY_NODE } from '../pods-by-node.ts';
import { evictionTimeMs, lostTimeMs } from './decide.ts';
import type { EvictionClock } from './decide.ts';
import { TaintTimes } from './taint-times.ts';

/** Why its Events are. */
const EVICTION = 'TaintManagerEviction';

/** A pod that has to leave when its time is up. */
interface Leaving {
  readonly uid: string;
  readonly atMs: number;
  /** When for its node's being lost, ms since the epoch. */
  readonly lostMs: number | undefined;
  /** As they were when that was found. */
  readonly tolerations: readonly Toleration[] | undefined;
}

const WHY = { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' };

/** Starts the controller that deletes pods from nodes whose NoExecute taints they do not (or no longer) tolerate. */
export function runTaintEvictionController(kit: ControllerKit): Controller {
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_NODE });
  const nodes = kit.informers.need(NODES);
  const events = recorderFor(kit, 'taint-eviction-controller');
  const figures = new EvictionFigures(kit.figures, 'taint_eviction_controller');
  const times = new TaintTimes();
  const leaving = new Map<string, Leaving>();
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const pod = pods.get(key);
    const node = nodes.get(pod?.spec.nodeName ?? '');
    if (pod === undefined || node === undefined) return;
    const now = kit.world.clock.now();
    const at = { nowMs: now, sinceMs: (taint: Taint) => times.since(node, taint) };
    const known = leaving.get(key)?.uid === pod.metadata.uid ? leaving.get(key) : undefined;
    const found = leavingOf({ pod, node, known }, at);
    if (found === undefined) {
      if (known === undefined || isPodTerminating(pod)) return;
      leaving.delete(key);
      events.event(referenceTo(PODS, pod), 'Normal', EVICTION, `Cancelling deletion of Pod ${key}`, context);
      return;
    }
    leaving.set(key, found);
    if (found.atMs > now) return context.requeueAfter(found.atMs - now);
    events.event(referenceTo(PODS, pod), 'Normal', EVICTION, `Marking for deletion Pod ${key}`, context);
    await disruptPod(kit, { pod, why: WHY }, context);
    figures.deleted(kit.world.clock.now() - found.atMs);
    leaving.delete(key);
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

/** Undefined: it may stay. A node that is not ready and falls silent gives nobody more time; what the pod says of it may. */
function leavingOf(
  { pod, node, known }: { readonly pod: Pod; readonly node: Node; readonly known: Leaving | undefined },
  clock: EvictionClock,
): Leaving | undefined {
  const due = evictionTimeMs(pod, node, clock);
  if (due === undefined) return undefined;
  const { tolerations } = pod.spec;
  const lost = lostTimeMs(pod, node, clock);
  const before = known !== undefined && deepEqual(known.tolerations, tolerations) ? known.lostMs : undefined;
  const lostMs = lost === undefined ? undefined : Math.min(lost, before ?? lost);
  return { uid: pod.metadata.uid ?? '', atMs: Math.min(due, lostMs ?? due), lostMs, tolerations };
}
