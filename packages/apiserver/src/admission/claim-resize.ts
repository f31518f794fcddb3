import type { PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { compareQuantities } from '@binnacle/machinery';
import type { AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { refuse } from './refusal.ts';

const STORAGE_CLASSES = { group: 'storage.k8s.io', resource: 'storageclasses' };
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** A claim grows only where it is bound and its storage class allows it. */
export function createClaimResize(cache: CacheReader): AdmissionPlugin {
  const mayGrow = (name: string): boolean =>
    (cache.get(STORAGE_CLASSES, '', name) as StorageClass | undefined)?.allowVolumeExpansion === true;
  return {
    name: 'PersistentVolumeClaimResize',
    handles: (operation, info, subresource) =>
      operation === 'UPDATE' && subresource === '' && info.group === '' && info.resource === 'persistentvolumeclaims',
    validate(attributes) {
      const claim = attributes.object as PersistentVolumeClaim;
      const before = attributes.before as PersistentVolumeClaim;
      if (compareQuantities(sizeOf(claim), sizeOf(before)) <= 0) return;
      if (before.status?.phase !== 'Bound') {
        throw refuse(attributes, 'Only bound persistent volume claims can be expanded');
      }
      const storageClass = classOf(claim);
      if (storageClass !== '' && storageClass === classOf(before) && mayGrow(storageClass)) return;
      throw refuse(
        attributes,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    },
  };
}

function sizeOf({ spec }: PersistentVolumeClaim): string {
  return spec?.resources?.requests?.['storage'] ?? '0';
}

function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';
}
