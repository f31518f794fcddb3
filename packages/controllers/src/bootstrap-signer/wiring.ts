import { CONFIG_MAPS, SECRETS, wellknown } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import { enqueueOn, runController } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { BOOTSTRAP_TOKENS, endOfToken, signingToken } from '../bootstrap-tokens.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { withSignatures } from './signatures.ts';

const INFO = { namespace: wellknown.NAMESPACE_PUBLIC, fieldSelector: 'metadata.name=cluster-info' };
const KEY = `${INFO.namespace}/cluster-info`;
/** A timer is set for no longer than this, ms. */
const LONGEST_MS = 24 * 3_600_000;

/** Starts the controller that signs `cluster-info` with each bootstrap token that may, so that who joins can trust it. */
export function runBootstrapSigner(kit: ControllerKit): Controller {
  const secrets = kit.informers.need(SECRETS, { only: BOOTSTRAP_TOKENS });
  const infos = kit.informers.need(CONFIG_MAPS, { only: INFO });
  const controller = runController({
    name: 'bootstrap-signer-controller',
    about: CONFIG_MAPS,
    world: kit.world,
    scope: kit.scope,
    caches: [secrets, infos],
    sync: async (_key, context) => {
      const info = infos.get(KEY);
      if (info === undefined) return;
      const now = kit.world.clock.now();
      const tokens = secrets.list().flatMap((secret) => signingToken(secret, now) ?? []);
      const wanted = withSignatures(info, tokens);
      const ends = secrets.list().map((secret) => endOfToken(secret) - now);
      const next = Math.min(LONGEST_MS, ...ends.filter((left) => left > 0));
      if (tokens.length > 0) context.requeueAfter(next);
      if (wanted === info) return;
      try {
        await kit.client.resource(CONFIG_MAPS, INFO.namespace).update(wanted, undefined, context);
      } catch (error) {
        // Gone; when it comes again, so do we.
        if (!status.isNotFound(error)) throw error;
      }
    },
  });
  kit.scope.defer(enqueueOn(secrets, controller, () => [KEY]));
  kit.scope.defer(enqueueOn(infos, controller, () => [KEY]));
  return controller;
}
