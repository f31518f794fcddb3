import { PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { deepEqual } from '@binnacle/machinery';
import { enqueueOn, runController, triggerOf } from '@binnacle/reconcile';
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
import { BY_OWNER, ClaimKeeper } from './claim-keeper.ts';
import { creationFigures, showClaims } from './figures.ts';
import { ClaimMaker } from './claim-maker.ts';

/** Index of pods: by `namespace/name` of the templates of their claims. */
const BY_TEMPLATE = 'claim-template';

/**
 * Starts the controller of claims for devices: it makes those that pods have templates for, keeps them for pods that were placed
 * without a scheduler, and takes them back from pods that need them no longer. One queue holds pods, one claims.
 */
export function runResourceClaimController(kit: ControllerKit): readonly Controller[] {
  const pods = kit.informers.need(PODS, {
    indexes: {
      ...PODS_BY_DEVICE_CLAIM,
      [BY_TEMPLATE]: ({ metadata, spec }: Pod) =>
        (spec.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) =>
          name === undefined ? [] : [`${metadata.namespace ?? ''}/${name}`],
        ),
    },
  });
  const claims = kit.informers.need(RESOURCE_CLAIMS, {
    indexes: { [BY_OWNER]: ({ metadata }: ResourceClaim) => (metadata.ownerReferences ?? []).map(({ uid }) => uid) },
  });
  const templates = kit.informers.need(RESOURCE_CLAIM_TEMPLATES);
  const events = recorderFor(kit, 'resource_claim');
  const maker = new ClaimMaker({ kit, claims, templates, events, counted: creationFigures(kit.figures) });
  kit.scope.defer(showClaims(kit.figures, () => claims.list()));
  const keeper = new ClaimKeeper({ kit, pods });
  const { world, scope } = kit;
  const byPod = runController({
    name: 'resourceclaim-controller',
    about: { group: '', resource: 'pods' },
    world,
    scope,
    caches: [pods, claims, templates],
    sync: async (key, context) => {
      const pod = pods.get(key);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || !needsClaims(pod)) return;
      await maker.provide(pod, context);
    },
  });
  const byClaim = runController({
    name: 'resourceclaim-reservations',
    about: RESOURCE_CLAIMS,
    world,
    scope,
    caches: [pods, claims],
    sync: async (key, context) => {
      const claim = claims.get(key);
      if (claim !== undefined) await keeper.keep(claim, context);
    },
  });
  const gone = (one: Pod): void => {
    maker.forget(one);
    keeper.podGone(one);
  };
  scope.defer(pods.subscribe(podSink({ byPod, byClaim, gone })));
  scope.defer(enqueueOn(claims, byClaim, (claim) => [cacheKey(claim)]));
  scope.defer(enqueueOn(claims, byPod, (claim) => pods.byIndex(BY_DEVICE_CLAIM, cacheKey(claim)).map(cacheKey)));
  scope.defer(enqueueOn(templates, byPod, (template) => pods.byIndex(BY_TEMPLATE, cacheKey(template)).map(cacheKey)));
  return [byPod, byClaim];
}

interface PodQueues {
  readonly byPod: Controller;
  readonly byClaim: Controller;
  readonly gone: (pod: Pod) => void;
}

function podSink({ byPod, byClaim, gone }: PodQueues): Parameters<Informer<Pod>['subscribe']>[0] {
  const provide = (event: string, one: Pod): void => {
    if (hasDeviceClaims(one)) byPod.enqueue(cacheKey(one), triggerOf(event, one));
  };
  /** Only who needs its claims no longer has them taken back. */
  const take = (event: string, one: Pod): void => {
    for (const key of claimKeysOf(one)) byClaim.enqueue(key, triggerOf(event, one));
  };
  const remove = (one: Pod): void => {
    gone(one);
    take('DELETED', one);
  };
  return {
    add: (one) => {
      provide('ADDED', one);
      if (!needsClaims(one)) take('ADDED', one);
    },
    update: (before, one) => {
      // Another one by its name: the one before is gone.
      if (before.metadata.uid !== one.metadata.uid) remove(before);
      if (!isProvidedAlike(before, one)) provide('MODIFIED', one);
      if (!needsClaims(one)) take('MODIFIED', one);
    },
    remove,
  };
}

/** Whether nothing changed that decides which claims the pod gets, and whether they are for it. */
function isProvidedAlike(before: Pod, after: Pod): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    before.spec.nodeName === after.spec.nodeName &&
    needsClaims(before) === needsClaims(after) &&
    deepEqual(before.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses)
  );
}
