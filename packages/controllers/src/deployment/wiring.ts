import { controllerOf, matchesLabels, storedSelector } from '@binnacle/machinery';
import { DEPLOYMENTS, isPodTerminal, PODS, REPLICA_SETS } from '@binnacle/api';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { enqueueOn, ownersFor, OWNERSHIP_INDEXES, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { DeploymentCommitter, deploymentKeyOf } from './committer.ts';
import { DeploymentWrites } from './own-writes.ts';
import { DeploymentSync } from './sync.ts';

/** Starts the deployments' controller. */
export function runDeploymentController(kit: ControllerKit): Controller {
  const deployments = kit.informers.need(DEPLOYMENTS, { indexes: OWNERSHIP_INDEXES });
  const sets = kit.informers.need(REPLICA_SETS, { indexes: OWNERSHIP_INDEXES });
  const pods = kit.informers.need(PODS, { indexes: OWNERSHIP_INDEXES });
  const { client } = kit;
  const { clock } = kit.world;
  const writes = new DeploymentWrites({ client, clock, deployments, sets });
  const committer = new DeploymentCommitter({ client, writes, events: recorderFor(kit, 'deployment-controller') });
  const sync = new DeploymentSync({ client, clock, committer, writes, deployments, sets, pods });
  const controller = runController({
    name: 'deployment-controller',
    about: { group: 'apps', resource: 'deployments' },
    world: kit.world,
    scope: kit.scope,
    caches: [deployments, sets, pods],
    sync: (key, context) => sync.sync(key, context),
  });
  kit.scope.defer(followWrites(writes, { deployments, sets }));
  kit.scope.defer(enqueueOn(deployments, controller, (deployment) => [cacheKey(deployment)]));
  kit.scope.defer(enqueueOn(sets, controller, (set) => keysOfSet(set, deployments)));
  const followPod = (event: string, pod: Pod): void => {
    const key = recreatingKey(pod, { sets, deployments });
    if (key !== undefined) controller.enqueue(key, triggerOf(event, pod));
  };
  kit.scope.defer(
    pods.subscribe({
      remove: (pod) => followPod('DELETED', pod),
      update: (before, after) => {
        if (isPodTerminal(after) && !isPodTerminal(before)) followPod('MODIFIED', after);
      },
    }),
  );
  return controller;
}

/** Tells what the caches show; before the queue hears of it. */
function followWrites(
  writes: DeploymentWrites,
  caches: { readonly deployments: Informer<Deployment>; readonly sets: Informer<ReplicaSet> },
): () => void {
  const seeSet = (set: ReplicaSet): void => writes.seeSet(deploymentKeyOf(set) ?? '', set);
  const stops = [
    caches.deployments.subscribe({
      add: (deployment) => writes.seeDeployment(deployment),
      update: (_before, deployment) => writes.seeDeployment(deployment),
      remove: (deployment) => writes.forget(cacheKey(deployment)),
    }),
    caches.sets.subscribe({
      add: seeSet,
      update: (_before, set) => seeSet(set),
      remove: (set) => writes.seeSetGone(deploymentKeyOf(set) ?? '', set),
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

function keysOfSet(set: ReplicaSet, deployments: Informer<Deployment>): readonly string[] {
  const key = deploymentKeyOf(set);
  if (key !== undefined) return [key];
  if (controllerOf(set) !== undefined) return [];
  return ownersFor(deployments, set.metadata)
    .filter((deployment) => matchesLabels(storedSelector(deployment.spec.selector), set.metadata.labels))
    .map(cacheKey);
}

/** Recreate waits for the last old pod to go; other strategies learn all from the sets. */
function recreatingKey(
  pod: Pod,
  caches: { readonly sets: Informer<ReplicaSet>; readonly deployments: Informer<Deployment> },
): string | undefined {
  const controller = controllerOf(pod);
  if (controller?.kind !== 'ReplicaSet') return undefined;
  const set = caches.sets.get(`${pod.metadata.namespace ?? ''}/${controller.name}`);
  const key = set === undefined ? undefined : deploymentKeyOf(set);
  if (key === undefined) return undefined;
  return caches.deployments.get(key)?.spec.strategy?.type === 'Recreate' ? key : undefined;
}
