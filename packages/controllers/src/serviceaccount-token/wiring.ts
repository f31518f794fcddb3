import { SECRETS, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { Secret, ServiceAccount } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { enqueueOn, getOrUndefined, runController, splitKey, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit, StartOptions } from '../controller-kit.ts';
import { accountOf, ACCOUNT_TOKENS, unlessPassed } from '../token-secrets.ts';
import { completed, lacksToken } from './token-data.ts';

/** Index of token secrets: by `namespace/name` of their account. */
const BY_ACCOUNT = 'account';

/** Starts the controller that fills secrets with tokens of ServiceAccounts; nobody does where nobody signs. */
export function runTokenController(kit: ControllerKit, { rootCA, signToken }: StartOptions): readonly Controller[] {
  if (signToken === undefined) return [];
  const accounts = kit.informers.need(SERVICE_ACCOUNTS);
  const secrets = kit.informers.need(SECRETS, {
    only: ACCOUNT_TOKENS,
    indexes: { [BY_ACCOUNT]: (secret: Secret) => [accountOf(secret).key] },
  });
  const { world, scope } = kit;
  const findAccount = async (secret: Secret, context: SyncContext): Promise<ServiceAccount | undefined> => {
    const { key, name, uid } = accountOf(secret);
    const isIt = (found: ServiceAccount | undefined): found is ServiceAccount =>
      found !== undefined && (uid === '' || found.metadata.uid === uid);
    const cached = accounts.get(key);
    if (isIt(cached)) return cached;
    const live = await getOrUndefined(kit.client.resource(SERVICE_ACCOUNTS, secret.metadata.namespace), name, context);
    return isIt(live) ? live : undefined;
  };
  const fill = async (secret: Secret, account: ServiceAccount, context: SyncContext): Promise<void> => {
    if (completed(secret, { rootCA, account }, '') === secret) return;
    const token = lacksToken(secret) ? await signToken({ account, secret }) : '';
    const after = completed(secret, { rootCA, account }, token);
    await unlessPassed(kit.client.resource(SECRETS, secret.metadata.namespace).update(after, undefined, context));
  };
  const fillSecrets = runController({
    name: 'serviceaccount-token-controller',
    about: SECRETS,
    world,
    scope,
    caches: [accounts, secrets],
    sync: async (key, context) => {
      const secret = secrets.get(key);
      if (secret === undefined || accountOf(secret).name === '') return;
      const account = await findAccount(secret, context);
      if (account !== undefined) return fill(secret, account, context);
      const { name = '', namespace, uid } = secret.metadata;
      const options = uid === undefined ? {} : { preconditions: { uid } };
      await unlessPassed(kit.client.resource(SECRETS, namespace).delete(name, options, context));
    },
  });
  scope.defer(enqueueOn(secrets, fillSecrets, (secret) => [cacheKey(secret)]));
  scope.defer(
    enqueueOn(accounts, fillSecrets, (account) => secrets.byIndex(BY_ACCOUNT, cacheKey(account)).map(cacheKey)),
  );
  return [fillSecrets, runReferenceDropper(kit, accounts, secrets)];
}

/** Accounts do not name tokens that are gone. */
function runReferenceDropper(
  kit: ControllerKit,
  accounts: Informer<ServiceAccount>,
  secrets: Informer<Secret>,
): Controller {
  const { world, scope } = kit;
  const gone = new Map<string, Set<string>>();
  const dropReferences = runController({
    name: 'serviceaccount-token-references',
    about: SERVICE_ACCOUNTS,
    world,
    scope,
    caches: [accounts, secrets],
    sync: async (key, context) => {
      const names = new Set(gone.get(key));
      const { namespace, name } = splitKey(key);
      const client = kit.client.resource(SERVICE_ACCOUNTS, namespace);
      const account = await getOrUndefined(client, name, context);
      const kept = account?.secrets?.filter((one) => !names.has(one.name ?? ''));
      if (account !== undefined && kept !== undefined && kept.length < (account.secrets ?? []).length) {
        await client.update({ ...account, secrets: kept }, undefined, context);
      }
      // More may have gone meanwhile.
      for (const one of names) gone.get(key)?.delete(one);
      if (gone.get(key)?.size === 0) gone.delete(key);
    },
  });
  scope.defer(
    secrets.subscribe({
      remove: (secret) => {
        const { key } = accountOf(secret);
        const refers = accounts.get(key)?.secrets?.some(({ name }) => name === secret.metadata.name) === true;
        if (!refers) return;
        gone.set(key, (gone.get(key) ?? new Set()).add(secret.metadata.name ?? ''));
        dropReferences.enqueue(key, triggerOf('DELETED', secret));
      },
    }),
  );
  return dropReferences;
}
