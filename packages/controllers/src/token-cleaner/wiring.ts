import { SECRETS } from '@binnacle/api';
import { cacheKey } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { enqueueOn, runController } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { BOOTSTRAP_TOKEN, BOOTSTRAP_TOKENS, endOfToken } from '../bootstrap-tokens.ts';

/** A timer is set for no longer than this, ms. */
const LONGEST_MS = 24 * 3_600_000;

/** Starts the controller that deletes bootstrap tokens which have ended. */
export function runTokenCleaner(kit: ControllerKit): Controller {
  const secrets = kit.informers.need(SECRETS, { only: BOOTSTRAP_TOKENS });
  const controller = runController({
    name: 'token-cleaner-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [secrets],
    sync: async (key, context) => {
      const secret = secrets.get(key);
      if (secret === undefined || secret.type !== BOOTSTRAP_TOKEN) return;
      const left = endOfToken(secret) - kit.world.clock.now();
      if (left === Number.POSITIVE_INFINITY) return;
      if (left > 0) return context.requeueAfter(Math.min(left, LONGEST_MS));
      const { name = '', uid } = secret.metadata;
      try {
        const options = uid === undefined ? {} : { preconditions: { uid } };
        await kit.client.resource(SECRETS, BOOTSTRAP_TOKENS.namespace).delete(name, options, context);
      } catch (error) {
        // Gone, or another one of its name by now.
        if (!status.isNotFound(error) && !status.isConflict(error)) throw error;
      }
    },
  });
  kit.scope.defer(enqueueOn(secrets, controller, (secret) => [cacheKey(secret)]));
  return controller;
}
