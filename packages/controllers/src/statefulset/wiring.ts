import { selectorFromObject } from '@binnacle/machinery';
import { CONTROLLER_REVISIONS, DEFAULT_FEATURES, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '@binnacle/api';
import { cacheKey } from '@binnacle/client';
import {
  BY_CONTROLLER,
  enqueueOn,
  Expectations,
  followPods,
  IN_NAMESPACE,
  OWNERSHIP_INDEXES,
  Pace,
  podStateChanged,
  runController,
  triggerOf,
} from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit, StartOptions } from '../controller-kit.ts';
import { StatefulSetSync } from './sync.ts';

/** Starts the stateful sets' controller. */
export function runStatefulSetController(
  kit: ControllerKit,
  { features = DEFAULT_FEATURES, rollouts }: Pick<StartOptions, 'features' | 'rollouts'>,
): Controller {
  const maySeveralRoll = features.MaxUnavailableStatefulSet;
  const sets = kit.informers.need(STATEFUL_SETS, { indexes: OWNERSHIP_INDEXES });
  const pods = kit.informers.need(PODS, { indexes: OWNERSHIP_INDEXES });
  const revisions = kit.informers.need(CONTROLLER_REVISIONS, { indexes: OWNERSHIP_INDEXES });
  const claims = kit.informers.need(PERSISTENT_VOLUME_CLAIMS);
  const expectations = new Expectations(kit.world.clock);
  const events = recorderFor(kit, 'statefulset-controller');
  const { client } = kit;
  const { clock } = kit.world;
  const sync = new StatefulSetSync({
    client,
    clock,
    events,
    expectations,
    sets,
    pods,
    revisions,
    claims,
    maySeveralRoll,
    ...(rollouts === undefined ? {} : { rollouts }),
  });
  const pace = new Pace(clock);
  const controller = runController({
    name: 'statefulset-controller',
    about: { group: 'apps', resource: 'statefulsets' },
    world: kit.world,
    scope: kit.scope,
    caches: [sets, pods, revisions, claims],
    sync: async (key, context) => {
      await sync.sync(key, context);
      pace.synced(key, sets.get(key) !== undefined);
    },
  });
  kit.scope.defer(enqueueOn(sets, controller, (set) => [cacheKey(set)]));
  kit.scope.defer(
    followPods({
      ref: STATEFUL_SETS,
      pods,
      owners: sets,
      expectations,
      selector: (set) => selectorFromObject(set.spec.selector ?? {}),
      concerns: podStateChanged,
      wake: (set, { trigger, urgent }) => {
        const key = cacheKey(set);
        const count = Math.max(set.spec.replicas ?? 1, pods.countByIndex(BY_CONTROLLER, set.metadata.uid ?? ''));
        controller.enqueueAfter(key, pace.waitMs(key, { count, urgent }), trigger);
      },
    }),
  );
  // A pod waits until a claim that goes is gone.
  kit.scope.defer(
    claims.subscribe({
      remove: (claim) => {
        const { name = '', namespace = '' } = claim.metadata;
        for (const set of sets.byIndex(IN_NAMESPACE, namespace)) {
          const mine = (set.spec.volumeClaimTemplates ?? []).some((template) =>
            name.startsWith(`${template.metadata.name ?? ''}-${set.metadata.name ?? ''}-`),
          );
          if (mine) controller.enqueue(cacheKey(set), triggerOf('DELETED', claim));
        }
      },
    }),
  );
  return controller;
}
