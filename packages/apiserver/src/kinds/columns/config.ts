import { memberOf } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Lease } from '@binnacle/api/coordination/v1';
import type { ConfigMap, Namespace, ResourceQuota, Secret, ServiceAccount } from '@binnacle/api/core/v1';
import type { RuntimeClass } from '@binnacle/api/node/v1';
import type { PodDisruptionBudget } from '@binnacle/api/policy/v1';
import type { PriorityClass } from '@binnacle/api/scheduling/v1';
import { AGE, NAME, boolean, createdAgo, integer, nameOf, printer, text } from '../../render/columns.ts';

export const namespacePrinter = printer<Namespace>([NAME, text('Status', 'Whether it lives.'), AGE], (one, now) => [
  nameOf(one),
  one.status?.phase ?? '',
  createdAgo(one, now),
]);

export const secretPrinter = printer<Secret>(
  [NAME, text('Type', 'What form the data has.'), integer('Data', 'How many entries it has.'), AGE],
  (secret, now) => [nameOf(secret), secret.type ?? '', Object.keys(secret.data ?? {}).length, createdAgo(secret, now)],
);

export const configMapPrinter = printer<ConfigMap>(
  [NAME, integer('Data', 'How many entries it has.'), AGE],
  (map, now) => {
    const count = Object.keys(map.data ?? {}).length + Object.keys(map.binaryData ?? {}).length;
    return [nameOf(map), count, createdAgo(map, now)];
  },
);

export const serviceAccountPrinter = printer<ServiceAccount>(
  [NAME, integer('Secrets', 'How many secrets it lists.'), AGE],
  (account, now) => [nameOf(account), account.secrets?.length ?? 0, createdAgo(account, now)],
);

export const leasePrinter = printer<Lease>([NAME, text('Holder', 'Who has the lease.'), AGE], (lease, now) => [
  nameOf(lease),
  lease.spec?.holderIdentity ?? '',
  createdAgo(lease, now),
]);

export const priorityClassPrinter = printer<PriorityClass>(
  [
    NAME,
    integer('Value', 'The higher, the more important.'),
    boolean('Global-Default', 'Whether pods without a class are of this one.'),
    AGE,
    text('PreemptionPolicy', 'Whether its pods drive others out.'),
  ],
  (one, now) => [
    nameOf(one),
    one.value,
    one.globalDefault ?? false,
    createdAgo(one, now),
    one.preemptionPolicy ?? 'PreemptLowerPriority',
  ],
);

export const runtimeClassPrinter = printer<RuntimeClass>(
  [NAME, text('Handler', 'Name of the runtime’s configuration.'), AGE],
  (one, now) => [nameOf(one), one.handler, createdAgo(one, now)],
);

/** When, and not how long ago, as upstream shows what it has no columns for. */
export const createdPrinter = printer<KubeObject>(
  [NAME, { ...text('Created At', 'When it was created.'), type: 'date' }],
  (one) => [nameOf(one), one.metadata.creationTimestamp ?? ''],
);

export const resourceQuotaPrinter = printer<ResourceQuota>(
  [
    NAME,
    text('Request', 'Used and allowed, of what is requested.'),
    text('Limit', 'Used and allowed, of what is limited.'),
    AGE,
  ],
  (quota, now) => {
    const { hard = {}, used = {} } = quota.status ?? {};
    const shown = (isLimit: boolean): string =>
      Object.keys(hard)
        .toSorted()
        .filter((name) => name.startsWith('limits') === isLimit)
        .map((name) => `${name}: ${memberOf(used, name) ?? '0'}/${hard[name]}`)
        .join(', ');
    return [nameOf(quota), shown(false), shown(true), createdAgo(quota, now)];
  },
);

export const podDisruptionBudgetPrinter = printer<PodDisruptionBudget>(
  [
    NAME,
    text('Min Available', 'Pods that have to stay.'),
    text('Max Unavailable', 'Pods that may be missing.'),
    integer('Allowed Disruptions', 'Pods that may go now.'),
    AGE,
  ],
  (budget, now) => [
    nameOf(budget),
    String(budget.spec.minAvailable ?? 'N/A'),
    String(budget.spec.maxUnavailable ?? 'N/A'),
    budget.status?.disruptionsAllowed ?? 0,
    createdAgo(budget, now),
  ],
);
