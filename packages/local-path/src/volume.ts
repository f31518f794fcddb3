import { storageClassNameOf, wellknown } from '@binnacle/api';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { directoryOf, FINALIZER, NODE_ANNOTATION, PROVISIONED_BY, PROVISIONER, volumeNameOf } from './names.ts';

/** Where a volume is made. */
export interface Place {
  readonly root: string;
  readonly node: string;
  /** The node's label `kubernetes.io/hostname`. */
  readonly hostname: string;
}

/** The volume of a claim, kept for it. */
export function volumeFor(claim: PersistentVolumeClaim, storage: StorageClass, place: Place): PersistentVolume {
  const { uid = '', name = '', namespace = '', resourceVersion = '' } = claim.metadata;
  const volumeName = volumeNameOf(uid);
  const { accessModes = [], resources } = claim.spec;
  return {
    metadata: {
      name: volumeName,
      annotations: { [PROVISIONED_BY]: PROVISIONER, [NODE_ANNOTATION]: place.node },
      finalizers: [FINALIZER],
    },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      local: { path: directoryOf(place.root, volumeName) },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: wellknown.LABEL_HOSTNAME, operator: 'In', values: [place.hostname] }] },
          ],
        },
      },
      persistentVolumeReclaimPolicy: storage.reclaimPolicy ?? 'Delete',
      storageClassName: storageClassNameOf(claim),
      volumeMode: 'Filesystem',
    },
  };
}
