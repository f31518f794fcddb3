import { PERSISTENT_VOLUMES, wellknown } from '@binnacle/api';
import type { Controller } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { runProtection } from '../protection.ts';

/** Starts the controller that keeps volumes for as long as they are bound. */
export function runVolumeProtection(kit: ControllerKit): Controller {
  return runProtection(kit, {
    name: 'persistentvolume-protection-controller',
    ref: PERSISTENT_VOLUMES,
    objects: kit.informers.need(PERSISTENT_VOLUMES),
    finalizer: wellknown.FINALIZER_VOLUME_PROTECTION,
    caches: [],
    isUsed: ({ status }) => status?.phase === 'Bound',
  });
}
