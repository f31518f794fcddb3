import type { Draft } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';
import { deepEqual } from '@binnacle/machinery';
import { dropTypeDependentFields } from './type-dependent-fields.ts';

/** What an update leaves out of the addresses that the server gave stays as it was. */
export const SERVICE_STRATEGY: Strategy = {
  prepareForUpdate(object, before) {
    const spec = asDraft(object).spec as { -readonly [K in keyof Service['spec']]?: Service['spec'][K] } | undefined;
    const old = (before as Service).spec;
    if (spec === undefined || old === undefined) return;
    dropTypeDependentFields(object as Draft<Service>, before as Service);
    if (spec.type === 'ExternalName' || old.type === 'ExternalName') return;
    if ((spec.clusterIP ?? '') === '' && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
    if ((spec.clusterIPs?.length ?? 0) === 0 && old.clusterIPs !== undefined) spec.clusterIPs = old.clusterIPs;
    // Who changes only the single address means the list too; that it may not change is for validation to say.
    if (
      spec.clusterIP !== undefined &&
      spec.clusterIP !== old.clusterIP &&
      deepEqual(spec.clusterIPs, old.clusterIPs)
    ) {
      spec.clusterIPs = [spec.clusterIP];
    }
    if (spec.ipFamilies === undefined && old.ipFamilies !== undefined) spec.ipFamilies = old.ipFamilies;
    if (spec.ipFamilyPolicy === undefined && old.ipFamilyPolicy !== undefined) spec.ipFamilyPolicy = old.ipFamilyPolicy;
  },
};
