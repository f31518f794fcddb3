import { PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { DeviceTaint, ResourceClaim, ResourceSlice } from '@binnacle/api/resource/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { BY_DEVICE_CLAIM, claimKeyOf, needsClaims, PODS_BY_DEVICE_CLAIM } from '../claims-of-devices.ts';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { disruptPod } from '../disrupt-pod.ts';
import { evictionTimeMs } from './decide.ts';

/** Index of claims and slices: by `driver/pool`. */
const BY_POOL = 'pool';

/** Starts the controller that deletes pods whose devices have NoExecute taints which their claims do not tolerate. */
export function runDeviceTaintEviction(kit: ControllerKit): Controller {
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_DEVICE_CLAIM });
  const claims = kit.informers.need(RESOURCE_CLAIMS, { indexes: { [BY_POOL]: poolsOf } });
  const slices = kit.informers.need(RESOURCE_SLICES, { indexes: { [BY_POOL]: (slice) => [poolOf(slice)] } });
  const events = recorderFor(kit, 'device-taint-eviction');
  const taintsOf = (driver: string, pool: string, device: string): readonly DeviceTaint[] | undefined =>
    newest(slices.byIndex(BY_POOL, `${driver}/${pool}`))
      .flatMap(({ spec }) => spec.devices ?? [])
      .find(({ name }) => name === device)?.taints;
  const controller = runController({
    name: 'device-taint-eviction-controller',
    about: { group: '', resource: 'pods' },
    world: kit.world,
    scope: kit.scope,
    caches: [pods, claims, slices],
    sync: async (key, context) => {
      const pod = pods.get(key);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || !needsClaims(pod)) return;
      const nowMs = kit.world.clock.now();
      const times = usedClaims(pod, claims).flatMap((claim) => evictionTimeMs(claim, taintsOf, nowMs) ?? []);
      if (times.length === 0) return;
      const leaveAt = Math.min(...times);
      if (leaveAt > nowMs) return context.requeueAfter(leaveAt - nowMs);
      events.event(referenceTo(PODS, pod), 'Normal', 'DeviceTaintManagerEviction', `Marking for deletion`, context);
      const message = 'Device Taint manager: deleting due to NoExecute taint';
      await disruptPod(kit, { pod, why: { reason: 'DeletionByDeviceTaintManager', message } }, context);
    },
  });
  const tell = (event: string, claim: ResourceClaim): void => {
    if (claim.status?.allocation === undefined) return;
    for (const pod of pods.byIndex(BY_DEVICE_CLAIM, cacheKey(claim))) {
      controller.enqueue(cacheKey(pod), triggerOf(event, claim));
    }
  };
  kit.scope.defer(
    claims.subscribe({ add: (one) => tell('ADDED', one), update: (_before, one) => tell('MODIFIED', one) }),
  );
  const look = (slice: ResourceSlice): void => {
    if (!(slice.spec.devices ?? []).some(({ taints = [] }) => taints.length > 0)) return;
    for (const claim of claims.byIndex(BY_POOL, poolOf(slice))) tell('MODIFIED', claim);
  };
  kit.scope.defer(slices.subscribe({ add: look, update: (_before, slice) => look(slice) }));
  kit.scope.defer(
    pods.subscribe({
      add: (pod) => {
        if ((pod.spec.resourceClaims ?? []).length > 0) controller.enqueue(cacheKey(pod), triggerOf('ADDED', pod));
      },
    }),
  );
  return controller;
}

/** The claims that are kept for the pod. */
function usedClaims(pod: Pod, claims: Informer<ResourceClaim>): readonly ResourceClaim[] {
  return (pod.spec.resourceClaims ?? []).flatMap((one) => {
    const claim = claims.get(claimKeyOf(pod, one) ?? '');
    return claim?.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid) === true ? [claim] : [];
  });
}

function poolsOf({ status }: ResourceClaim): readonly string[] {
  const results = status?.allocation?.devices?.results ?? [];
  return [...new Set(results.map(({ driver, pool }) => `${driver}/${pool}`))];
}

function poolOf({ spec }: ResourceSlice): string {
  return `${spec.driver}/${spec.pool.name}`;
}

function newest(slices: readonly ResourceSlice[]): readonly ResourceSlice[] {
  const generation = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  return slices.filter(({ spec }) => spec.pool.generation === generation);
}
