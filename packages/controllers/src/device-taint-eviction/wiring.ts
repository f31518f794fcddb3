import { PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { DeviceTaint, ResourceClaim, ResourceSlice } from '@binnacle/api/resource/v1';
import { deepEqual } from '@binnacle/machinery';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import {
  BY_DEVICE_CLAIM,
  claimKeysOf,
  hasDeviceClaims,
  needsClaims,
  PODS_BY_DEVICE_CLAIM,
} from '../claims-of-devices.ts';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { disruptPod } from '../disrupt-pod.ts';
import { EvictionFigures } from '../eviction-figures.ts';
import { evictionTimeMs } from './decide.ts';

/** Index of claims and slices: by `driver/pool`. */
const BY_POOL = 'pool';
/** Why its Events are. */
const EVICTION = 'DeviceTaintManagerEviction';
const WHY = {
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
};

/** Starts the controller that deletes pods whose devices have NoExecute taints which their claims do not tolerate. */
export function runDeviceTaintEviction(kit: ControllerKit): Controller {
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_DEVICE_CLAIM });
  const claims = kit.informers.need(RESOURCE_CLAIMS, { indexes: { [BY_POOL]: poolsOf } });
  const slices = kit.informers.need(RESOURCE_SLICES, { indexes: { [BY_POOL]: (slice) => [poolOf(slice)] } });
  const events = recorderFor(kit, 'device-taint-eviction');
  const figures = new EvictionFigures(kit.figures, 'device_taint_eviction_controller');
  const taintsOf = (driver: string, pool: string, device: string): readonly DeviceTaint[] | undefined =>
    newest(slices.byIndex(BY_POOL, `${driver}/${pool}`))
      .flatMap(({ spec }) => spec.devices ?? [])
      .find(({ name }) => name === device)?.taints;
  /** Pods that have to leave when their time is up, by key and uid. */
  const leaving = new Map<string, string>();
  const controller = runController({
    name: 'device-taint-eviction-controller',
    about: { group: '', resource: 'pods' },
    world: kit.world,
    scope: kit.scope,
    caches: [pods, claims, slices],
    sync: async (key, context) => {
      const pod = pods.get(key);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || !needsClaims(pod)) return;
      const { uid = '' } = pod.metadata;
      const nowMs = kit.world.clock.now();
      // Nothing of a pod without a node runs: its claims may still be given other devices.
      const used = (pod.spec.nodeName ?? '') === '' ? [] : usedClaims(pod, claims);
      const times = used.flatMap((claim) => evictionTimeMs(claim, taintsOf, nowMs) ?? []);
      if (times.length === 0) {
        if (leaving.get(key) !== uid) return;
        leaving.delete(key);
        events.event(referenceTo(PODS, pod), 'Normal', EVICTION, 'Cancelling deletion', context);
        return;
      }
      const leaveAt = Math.min(...times);
      if (leaveAt > nowMs) {
        leaving.set(key, uid);
        return context.requeueAfter(leaveAt - nowMs);
      }
      leaving.delete(key);
      events.event(referenceTo(PODS, pod), 'Normal', EVICTION, 'Marking for deletion', context);
      await disruptPod(kit, { pod, why: WHY }, context);
      figures.deleted(kit.world.clock.now() - leaveAt);
    },
  });
  follow(kit, { pods, claims, slices, leaving, controller });
  return controller;
}

interface Followed {
  readonly pods: Informer<Pod>;
  readonly claims: Informer<ResourceClaim>;
  readonly slices: Informer<ResourceSlice>;
  readonly leaving: Map<string, string>;
  readonly controller: Controller;
}

function follow({ scope }: ControllerKit, { pods, claims, slices, leaving, controller }: Followed): void {
  const tell = (event: string, claim: ResourceClaim): void => {
    for (const pod of pods.byIndex(BY_DEVICE_CLAIM, cacheKey(claim))) {
      const key = cacheKey(pod);
      if (claim.status?.allocation === undefined && !leaving.has(key)) continue;
      controller.enqueue(key, triggerOf(event, claim));
    }
  };
  scope.defer(
    claims.subscribe({
      add: (one) => tell('ADDED', one),
      update: (_before, one) => tell('MODIFIED', one),
      remove: (one) => tell('DELETED', one),
    }),
  );
  const look = (event: string, slice: ResourceSlice, before = slice): void => {
    // Where nothing is tainted, only those matter that were to leave.
    if (!isTainted(slice) && !isTainted(before) && leaving.size === 0) return;
    for (const claim of claims.byIndex(BY_POOL, poolOf(slice))) tell(event, claim);
  };
  scope.defer(
    slices.subscribe({
      add: (slice) => look('ADDED', slice),
      update: (before, slice) => look('MODIFIED', slice, before),
      remove: (slice) => look('DELETED', slice),
    }),
  );
  const wake = (event: string, pod: Pod): void => {
    if (hasDeviceClaims(pod)) controller.enqueue(cacheKey(pod), triggerOf(event, pod));
  };
  scope.defer(
    pods.subscribe({
      add: (pod) => wake('ADDED', pod),
      // Its node, and which claims are its own, may come to be known after the claims were given their devices.
      update: (before, pod) => {
        if (before.spec.nodeName !== pod.spec.nodeName || !deepEqual(claimKeysOf(before), claimKeysOf(pod)))
          wake('MODIFIED', pod);
      },
      remove: (pod) => leaving.delete(cacheKey(pod)),
    }),
  );
}

function isTainted({ spec }: ResourceSlice): boolean {
  return (spec.devices ?? []).some(({ taints = [] }) => taints.length > 0);
}

/** The claims that are kept for the pod. */
function usedClaims(pod: Pod, claims: Informer<ResourceClaim>): readonly ResourceClaim[] {
  return claimKeysOf(pod).flatMap((key) => {
    const claim = claims.get(key);
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
