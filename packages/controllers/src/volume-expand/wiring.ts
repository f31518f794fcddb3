import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, resourceAmount } from '@binnacle/api';
import type { PersistentVolumeClaim } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';

/**
 * Starts the controller of claims that ask for more than they have. What was built in once is in drivers today: the
 * claim's owner is told that one of them has to act.
 */
export function runVolumeExpander(kit: ControllerKit): Controller {
  const claims = kit.informers.need(PERSISTENT_VOLUME_CLAIMS);
  const volumes = kit.informers.need(PERSISTENT_VOLUMES);
  const events = recorderFor(kit, 'volume_expand');
  const controller = runController({
    name: 'persistentvolume-expander-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [claims, volumes],
    sync: async (key, context) => {
      const claim = claims.get(key);
      if (claim === undefined || !wantsMore(claim)) return;
      const volume = volumes.get(claim.spec.volumeName ?? '');
      if (volume === undefined || volume.spec.claimRef?.uid !== claim.metadata.uid) return;
      const message = 'waiting for an external controller to expand this PVC';
      events.event(referenceTo(PERSISTENT_VOLUME_CLAIMS, claim), 'Normal', 'ExternalExpanding', message, context);
    },
  });
  kit.scope.defer(
    claims.subscribe({
      update: (before, claim) => {
        const grew = requested(claim) > requested(before);
        if (grew && wantsMore(claim)) controller.enqueue(cacheKey(claim), triggerOf('MODIFIED', claim));
      },
    }),
  );
  return controller;
}

function wantsMore(claim: PersistentVolumeClaim): boolean {
  const has = claim.status?.capacity?.['storage'];
  return claim.status?.phase === 'Bound' && has !== undefined && requested(claim) > resourceAmount('storage', has);
}

function requested({ spec }: PersistentVolumeClaim): number {
  return resourceAmount('storage', spec.resources?.requests?.['storage'] ?? '0');
}
