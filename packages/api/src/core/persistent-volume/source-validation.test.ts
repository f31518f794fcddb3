import { checkCreate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const VOLUME: Kind = ['', 'PersistentVolume', false];
const of = (source: object): object => ({
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...source },
});

// Provenance: upstream pkg/apis/core/validation/validation.go, ValidatePersistentVolumeSpec.
checkCreate('sources of persistent volumes', [
  ['a share', 'validateNFSVolumeSource', VOLUME, of({ nfs: { server: 's', path: '/p' } })],
  [
    'two',
    'ValidatePersistentVolumeSpec',
    VOLUME,
    of({ nfs: { server: 's', path: '/p' }, hostPath: { path: '/p' } }),
    'spec.nfs: Forbidden: may not specify more than 1 volume type',
  ],
  [
    'a disk without a name',
    'validateGCEPersistentDiskVolumeSource',
    VOLUME,
    of({ gcePersistentDisk: { pdName: '' } }),
    'spec.persistentDisk.pdName: Required value',
  ],
  [
    'local, nowhere',
    'validateLocalVolumeSource',
    VOLUME,
    of({ local: { path: '/a/../b' } }),
    'spec.local.path: Invalid value: "/a/../b": must not contain \'..\'',
    'spec.nodeAffinity: Required value: Local volume requires node affinity',
  ],
  [
    'a driver without a handle',
    'validateCSIPersistentVolumeSource',
    VOLUME,
    of({ csi: { driver: 'example.com', volumeHandle: '', nodePublishSecretRef: { name: 's' } } }),
    'spec.csi.volumeHandle: Required value',
    'spec.csi.nodePublishSecretRef.namespace: Required value',
  ],
]);
