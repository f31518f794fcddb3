import { deepEqual, selectorFromObject } from '@binnacle/machinery';
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '@binnacle/api';
import type { DaemonSet } from '@binnacle/api/apps/v1';
import type { Node } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import {
  enqueueOn,
  Expectations,
  followPods,
  gatherMs,
  OWNERSHIP_INDEXES,
  Pace,
  podStateChanged,
  runController,
  triggerOf,
} from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { judgeNode, nodeOfPod } from './nodes.ts';
import { DaemonSetSync } from './sync.ts';

/** Starts the daemon sets' controller. */
export function runDaemonSetController(kit: ControllerKit): Controller {
  const sets = kit.informers.need(DAEMON_SETS, { indexes: OWNERSHIP_INDEXES });
  const pods = kit.informers.need(PODS, { indexes: OWNERSHIP_INDEXES });
  const revisions = kit.informers.need(CONTROLLER_REVISIONS, { indexes: OWNERSHIP_INDEXES });
  const nodes = kit.informers.need(NODES);
  const { client, world } = kit;
  const expectations = new Expectations(world.clock);
  const events = recorderFor(kit, 'daemonset-controller');
  const of = { client, clock: world.clock, events, expectations, sets, pods, nodes, revisions };
  const sync = new DaemonSetSync(of);
  const pace = new Pace(world.clock);
  const controller = runController({
    name: 'daemonset-controller',
    about: { group: 'apps', resource: 'daemonsets' },
    world,
    scope: kit.scope,
    caches: [sets, pods, nodes, revisions],
    sync: async (key, context) => {
      await sync.sync(key, context);
      pace.synced(key, sets.get(key) !== undefined);
    },
  });
  kit.scope.defer(enqueueOn(sets, controller, (set) => [cacheKey(set)]));
  kit.scope.defer(sets.subscribe({ remove: (set) => sync.forget(set) }));
  kit.scope.defer(
    followPods({
      ref: DAEMON_SETS,
      pods,
      owners: sets,
      expectations,
      selector: (set) => selectorFromObject(set.spec.selector ?? {}),
      concerns: (before, after) => podStateChanged(before, after) || nodeOfPod(before) !== nodeOfPod(after),
      wake: (set, { trigger, urgent }) => {
        const key = cacheKey(set);
        const now = urgent && expectations.isSatisfied(key);
        controller.enqueueAfter(key, pace.waitMs(key, { count: nodes.size, urgent: now }), trigger);
      },
    }),
  );
  // A sync looks at every node, so nodes that come by the thousand are gathered.
  const wake = (event: string, node: Node, concerned: (set: DaemonSet) => boolean): void => {
    const trigger = triggerOf(event, node);
    for (const set of sets.list()) {
      if (concerned(set)) controller.enqueueAfter(cacheKey(set), gatherMs(nodes.size), trigger);
    }
  };
  kit.scope.defer(
    nodes.subscribe({
      add: (node) => wake('ADDED', node, (set) => judgeNode(set, node).shouldRun),
      update: (before, node) => {
        if (deepEqual(before.metadata.labels, node.metadata.labels) && deepEqual(before.spec, node.spec)) return;
        wake('MODIFIED', node, (set) => !deepEqual(judgeNode(set, before), judgeNode(set, node)));
      },
      remove: (node) => wake('DELETED', node, () => true),
    }),
  );
  return controller;
}
