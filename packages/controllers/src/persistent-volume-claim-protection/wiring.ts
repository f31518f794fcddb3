import { PERSISTENT_VOLUME_CLAIMS, PODS, wellknown } from '@binnacle/api';
import type { PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import { triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { BY_CLAIM, claimKeysOf, PODS_BY_CLAIM } from '../claims-of-pods.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { runProtection } from '../protection.ts';
import { LivePods } from './live-pods.ts';
import { usesClaim } from './uses.ts';

/** Starts the controller that keeps claims for as long as a pod uses them. */
export function runClaimProtection(kit: ControllerKit): Controller {
  const claims = kit.informers.need(PERSISTENT_VOLUME_CLAIMS);
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_CLAIM });
  const live = new LivePods(kit.world.clock);
  const seen = (claim: PersistentVolumeClaim): void => {
    if (claim.metadata.deletionTimestamp !== undefined) live.goes(cacheKey(claim));
  };
  const following = { add: seen, update: (_before: unknown, claim: PersistentVolumeClaim) => seen(claim) };
  kit.scope.defer(claims.subscribe({ ...following, remove: (claim) => live.gone(cacheKey(claim)) }));
  const controller = runProtection(kit, {
    name: 'persistentvolumeclaim-protection-controller',
    ref: PERSISTENT_VOLUME_CLAIMS,
    objects: claims,
    finalizer: wellknown.FINALIZER_CLAIM_PROTECTION,
    caches: [pods],
    isUsed: async (claim, context) => {
      const { namespace = '', name = '' } = claim.metadata;
      if (pods.byIndex(BY_CLAIM, `${namespace}/${name}`).some((pod) => usesClaim(pod, claim))) return true;
      // A pod may just have been bound: what is let go is lost, so the server has the last word.
      return live.anyOf(
        { key: cacheKey(claim), namespace },
        (pod) => usesClaim(pod, claim),
        async () => (await kit.client.resource(PODS, namespace).list({}, context)).items,
      );
    },
  });
  const follow = (event: string, pod: Pod): void => {
    for (const key of claimKeysOf(pod)) {
      const goes = claims.get(key)?.metadata.deletionTimestamp !== undefined;
      if (goes) controller.enqueue(key, triggerOf(event, pod));
    }
  };
  kit.scope.defer(
    pods.subscribe({
      update: (before, pod) => {
        follow('MODIFIED', pod);
        if (before.metadata.uid !== pod.metadata.uid) follow('MODIFIED', before);
      },
      remove: (pod) => follow('DELETED', pod),
    }),
  );
  return controller;
}
