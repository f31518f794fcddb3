import { CERTIFICATE_SIGNING_REQUESTS } from '@binnacle/api';
import { deleteIfThere, enqueueOn, runController } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { dueTimeOf } from './due-time.ts';

/** The longest that a timer is set for, ms; an hour is how often upstream looks. */
const LONGEST_MS = 3_600_000;

/** Starts the controller that deletes certificate signing requests which are of no use any more. */
export function runCertificateCleaner(kit: ControllerKit): Controller {
  const requests = kit.informers.need(CERTIFICATE_SIGNING_REQUESTS);
  const controller = runController({
    name: 'certificatesigningrequest-cleaner-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [requests],
    sync: async (key, context) => {
      const request = requests.get(key);
      if (request === undefined) return;
      const left = dueTimeOf(request) - kit.world.clock.now();
      if (left > 0) return context.requeueAfter(Math.min(left, LONGEST_MS));
      const { uid } = request.metadata;
      const preconditions = uid === undefined ? {} : { preconditions: { uid } };
      await deleteIfThere({ client: kit.client.resource(CERTIFICATE_SIGNING_REQUESTS), context }, key, preconditions);
    },
  });
  kit.scope.defer(enqueueOn(requests, controller, ({ metadata }) => [metadata.name ?? '']));
  return controller;
}
