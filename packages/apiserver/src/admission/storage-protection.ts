import { wellknown } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionPlugin } from '../ports/admission.ts';
import { memberOf } from '@binnacle/machinery';

const FINALIZERS: { readonly [resource: string]: string } = {
  persistentvolumes: wellknown.FINALIZER_VOLUME_PROTECTION,
  persistentvolumeclaims: wellknown.FINALIZER_CLAIM_PROTECTION,
  'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
};

function finalizerOf(group: string, resource: string): string | undefined {
  return memberOf(FINALIZERS, group === '' ? resource : `${resource}.${group}`);
}

/** What holds data, or is used by what does, stays until nobody uses it any more: its controller takes that away. */
export const protectStorageInUse: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  changes: ['metadata.finalizers'],
  handles: (operation, info, subresource) =>
    operation === 'CREATE' && subresource === '' && finalizerOf(info.group, info.resource) !== undefined,
  admit({ info, object }) {
    const { metadata } = object as Draft<KubeObject>;
    const finalizer = finalizerOf(info.group, info.resource) ?? '';
    if (metadata.finalizers?.includes(finalizer) === true) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  },
};
