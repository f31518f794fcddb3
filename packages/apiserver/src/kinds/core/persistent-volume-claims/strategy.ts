import type { PersistentVolumeClaimSpec } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

/** A claim is born Pending. What it is filled from is said in both fields, whichever of them was used (KEP 1495). */
export const VOLUME_CLAIM_STRATEGY: Strategy = {
  prepareForCreate(object) {
    asDraft(object).status = { phase: 'Pending' };
  },
  completeNew: sayBoth,
  prepareForUpdate: sayBoth,
};

function sayBoth(object: KubeObject): void {
  const draft = asDraft(object);
  const spec = draft.spec as PersistentVolumeClaimSpec | undefined;
  const { dataSource, dataSourceRef } = spec ?? {};
  if (dataSource && !dataSourceRef) draft.spec = { ...spec, dataSourceRef: { ...dataSource } };
  // One of another namespace cannot be said in the older field.
  if (!dataSource && dataSourceRef && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    draft.spec = { ...spec, dataSource: { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name } };
  }
}
