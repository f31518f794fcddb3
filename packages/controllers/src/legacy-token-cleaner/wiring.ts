import { CONFIG_MAPS, PODS, secretNamesOf, SECRETS, SERVICE_ACCOUNTS, wellknown } from '@binnacle/api';
import type { Secret } from '@binnacle/api/core/v1';
import { actOnEach, cacheKey } from '@binnacle/client';
import { getOrUndefined, runController } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit, StartOptions } from '../controller-kit.ts';
import { accountOf, ACCOUNT_TOKENS, unlessPassed } from '../token-secrets.ts';
import { INVALID_SINCE, judgeToken } from './judge-token.ts';

const DAY_MS = 24 * 3_600_000;
const DEFAULT_UNUSED_MS = 365 * DAY_MS;
/** Where API servers write since when they keep account of the use of tokens. */
const TRACKING = 'kube-apiserver-legacy-service-account-token-tracking';

/** Starts the controller that takes away tokens which older clusters made for accounts, when nobody uses them. */
export function runLegacyTokenCleaner(kit: ControllerKit, options: StartOptions): Controller {
  const secrets = kit.informers.need(SECRETS, { only: ACCOUNT_TOKENS });
  const accounts = kit.informers.need(SERVICE_ACCOUNTS);
  const pods = kit.informers.need(PODS);
  const unusedMs = options.legacyTokenUnusedMs ?? DEFAULT_UNUSED_MS;
  /** What was made for an account and not by somebody: the account names it. */
  const isMadeForAccount = (secret: Secret): boolean => {
    const { key, uid } = accountOf(secret);
    const account = accounts.get(key);
    if (account === undefined || (uid !== '' && account.metadata.uid !== uid)) return false;
    return account.secrets?.some(({ name }) => name === secret.metadata.name) === true;
  };
  const carryOut = async (secret: Secret, nowMs: number, context: SyncContext): Promise<void> => {
    const fate = judgeToken(secret, { nowMs, unusedMs });
    if (fate === 'keep') return;
    const { name = '', namespace, uid, resourceVersion } = secret.metadata;
    const client = kit.client.resource(SECRETS, namespace);
    if (fate === 'invalidate') {
      const labels = { [INVALID_SINCE]: new Date(nowMs).toISOString().slice(0, 10) };
      await unlessPassed(client.patch(name, 'merge', { metadata: { uid, labels } }, undefined, context));
      return;
    }
    // Used in the meantime, it is another version.
    const preconditions = resourceVersion === undefined ? {} : { preconditions: { resourceVersion } };
    await unlessPassed(client.delete(name, preconditions, context));
  };
  const controller = runController({
    name: 'legacy-serviceaccount-token-cleaner-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [secrets, accounts, pods],
    sync: async (_key, context) => {
      context.requeueAfter(DAY_MS);
      const nowMs = kit.world.clock.now();
      const maps = kit.client.resource(CONFIG_MAPS, wellknown.NAMESPACE_SYSTEM);
      const tracking = await getOrUndefined(maps, TRACKING, context);
      const since = Date.parse(tracking?.data?.['since'] ?? '');
      // Nobody has kept account for long enough.
      if (!(since + DAY_MS + unusedMs <= nowMs)) return;
      const used = new Set(
        pods.list().flatMap((pod) => secretNamesOf(pod).map((name) => `${pod.metadata.namespace ?? ''}/${name}`)),
      );
      const unused = secrets.list().filter((secret) => !used.has(cacheKey(secret)) && isMadeForAccount(secret));
      await actOnEach(unused, (secret) => carryOut(secret, nowMs, context));
    },
  });
  controller.enqueue('tokens', { what: 'start' });
  return controller;
}
