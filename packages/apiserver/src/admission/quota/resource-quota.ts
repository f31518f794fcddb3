import type { Clock } from '@binnacle/base';
import { attributesClassesOf, hasDeadline, quotaEvaluators } from '@binnacle/api';
import type { PersistentVolumeClaim, Pod, ResourceQuota } from '@binnacle/api/core/v1';
import type { AdmissionAttributes, AdmissionPlugin } from '../../ports/admission.ts';
import type { GuaranteedUpdate } from '../../ports/guaranteed-update.ts';
import type { CacheReader } from '../../ports/reader.ts';
import { chargesOf, usedAfter } from './charge.ts';
import { ChargeQueue } from './charge-queue.ts';
import { deviceCounting } from './device-counting.ts';
import type { LimitedResource } from './limited-resource.ts';

const RESOURCE_QUOTAS = { group: '', resource: 'resourcequotas' };

export interface QuotaWorld {
  readonly cache: CacheReader;
  readonly clock: Pick<Clock, 'now'>;
  /** Asked for when the first request is charged: the server is together by then. */
  readonly update: GuaranteedUpdate;
}

/** Charges what is created to the quotas of its namespace, in their status, and refuses what they do not allow. */
export function createResourceQuota(world: QuotaWorld, limited: readonly LimitedResource[] = []): AdmissionPlugin {
  const { cache, clock } = world;
  const queue = new ChargeQueue(world.update);
  const evaluatorOf = quotaEvaluators(deviceCounting(cache));
  return {
    name: 'ResourceQuota',
    handles: (operation, info, subresource) =>
      info.namespaced && !info.virtual && mayUse(info, `${operation} ${subresource}`),
    validate(attributes) {
      const quotas = cache.list(RESOURCE_QUOTAS, attributes.namespace) as readonly ResourceQuota[];
      if ((quotas.length === 0 && limited.length === 0) || !matters(attributes)) return undefined;
      const evaluator = evaluatorOf(attributes.info);
      if (evaluator === undefined) return undefined;
      const charges = chargesOf({ attributes, evaluator, limited, nowMs: clock.now() }, quotas);
      for (const charge of charges) {
        const quota = quotas.find(({ metadata }) => metadata.name === charge.quota);
        if (quota !== undefined) usedAfter(attributes, quota, charge);
      }
      if (charges.length === 0 || attributes.dryRun) return undefined;
      return queue.charge(attributes, charges);
    },
  };
}

const CREATED = 'CREATE ';
const UPDATED = 'UPDATE ';

/** Updates by which objects of a kind may come to use more. */
const UPDATES: { readonly [resource: string]: readonly string[] } = {
  pods: [UPDATED, 'UPDATE resize'],
  services: [UPDATED],
  persistentvolumeclaims: [UPDATED, 'UPDATE status'],
  'resourceclaims.resource.k8s.io': [UPDATED],
};

function mayUse({ group, resource }: AdmissionAttributes['info'], what: string): boolean {
  if (what === CREATED) return true;
  const name = group === '' ? resource : `${resource}.${group}`;
  return Object.hasOwn(UPDATES, name) && UPDATES[name]?.includes(what) === true;
}

/** Most updates of pods, and of what a claim has, change nothing that is counted. */
function matters({ operation, info, subresource, object, before }: AdmissionAttributes): boolean {
  if (operation !== 'UPDATE') return true;
  if (info.resource === 'pods' && subresource === '') return hasDeadline(object as Pod) !== hasDeadline(before as Pod);
  if (subresource !== 'status') return true;
  const shown = (claim: PersistentVolumeClaim): string =>
    JSON.stringify([claim.status?.allocatedResources?.['storage'], attributesClassesOf(claim).sort()]);
  return shown(object as PersistentVolumeClaim) !== shown(before as PersistentVolumeClaim);
}
