import type { PersistentVolumeClaimSpec } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

/** A claim is born Pending. What it is filled from is said in both fields, whichever of them was used (KEP 1495). */
export const VOLUME_CLAIM_STRATEGY: Strategy = {
  prepareForCreate(object) {
    asDraft(object).status = { phase: 'Pending' };
    dropUnknownSource(object);
  },
  completeNew: sayBoth,
  prepareForUpdate(object, before) {
    const { dataSource, dataSourceRef } = specOf(before) ?? {};
    if (!dataSource && !dataSourceRef) dropUnknownSource(object);
    sayBoth(object);
  },
};

/** The older field was never anything but a claim or a snapshot: what else is said there alone is passed over. */
function dropUnknownSource(object: KubeObject): void {
  const spec = specOf(object);
  if (spec === undefined || !spec.dataSource || spec.dataSourceRef) return;
  const { dataSource, ...rest } = spec;
  const kind = `${dataSource.apiGroup ?? ''}/${dataSource.kind}`;
  if (!SOURCES.has(kind)) asDraft(object).spec = rest;
}

const SOURCES: ReadonlySet<string> = new Set(['/PersistentVolumeClaim', 'snapshot.storage.k8s.io/VolumeSnapshot']);

function specOf(object: KubeObject): PersistentVolumeClaimSpec | undefined {
  return asDraft(object).spec as PersistentVolumeClaimSpec | undefined;
}

function sayBoth(object: KubeObject): void {
  const draft = asDraft(object);
  const spec = specOf(object);
  const { dataSource, dataSourceRef } = spec ?? {};
  if (dataSource && !dataSourceRef) draft.spec = { ...spec, dataSourceRef: { ...dataSource } };
  // One of another namespace cannot be said in the older field.
  if (!dataSource && dataSourceRef && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    draft.spec = { ...spec, dataSource: { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name } };
  }
}
