import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const VOLUME: Kind = ['', 'PersistentVolume', false];
const RIGHT = {
  capacity: { storage: '1Gi' },
  accessModes: ['ReadWriteOnce'],
  csi: { driver: 'example.com', volumeHandle: 'h' },
};
const withSpec = (fields: object): object => ({ spec: { ...RIGHT, ...fields } });
const AFFINITY = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }] },
};

// Provenance: upstream pkg/apis/core/validation/validation.go.
checkCreate('persistent volumes', [
  ['right', 'ValidatePersistentVolume', VOLUME, { spec: RIGHT }],
  [
    'nothing',
    'ValidatePersistentVolumeSpec',
    VOLUME,
    { spec: {} },
    'spec.accessModes: Required value',
    'spec.capacity: Required value',
    'spec.capacity: Unsupported value: {}: supported values: "storage"',
    'spec: Required value: must specify a volume type',
  ],
  [
    'unknown words',
    'ValidatePersistentVolumeSpec',
    VOLUME,
    withSpec({ accessModes: ['Foo'], persistentVolumeReclaimPolicy: 'Foo', volumeMode: 'Foo' }),
    'spec.accessModes: Unsupported value: "Foo": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    'spec.persistentVolumeReclaimPolicy: Unsupported value: "Foo": supported values: "Delete", "Recycle", "Retain"',
    'spec.volumeMode: Unsupported value: "Foo": supported values: "Block", "Filesystem"',
  ],
  [
    'no size',
    'ValidatePositiveQuantityValue',
    VOLUME,
    withSpec({ capacity: { storage: '0' } }),
    'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
  ],
  [
    'the whole host, recycled',
    'ValidatePersistentVolumeSpec',
    VOLUME,
    withSpec({ csi: undefined, hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
  ],
  [
    'affinity to nothing',
    'validateVolumeNodeAffinity',
    VOLUME,
    withSpec({ nodeAffinity: {} }),
    'spec.nodeAffinity.required: Required value: must specify required node constraints',
  ],
  [
    'attributes without a driver',
    'ValidatePersistentVolumeSpec',
    VOLUME,
    withSpec({ csi: undefined, nfs: { server: 's', path: '/p' }, volumeAttributesClassName: '' }),
    'spec.volumeAttributesClassName: Required value: an empty string is disallowed',
    'spec.csi: Required value: has to be specified when using volumeAttributesClassName',
  ],
]);

checkUpdate('persistent volumes', [
  [
    'a claim, a larger size, a secret to expand it',
    'ValidatePersistentVolumeUpdate',
    VOLUME,
    { spec: RIGHT },
    withSpec({
      claimRef: { name: 'c', namespace: 'd' },
      capacity: { storage: '2Gi' },
      csi: { ...RIGHT.csi, controllerExpandSecretRef: { name: 's', namespace: 'd' } },
    }),
  ],
  [
    'another handle',
    'ValidatePersistentVolumeUpdate',
    VOLUME,
    { spec: RIGHT },
    withSpec({ csi: { ...RIGHT.csi, volumeHandle: 'i' } }),
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n- csi.volumeHandle: "h"\n+ csi.volumeHandle: "i"',
  ],
  [
    'another mode',
    'ValidatePersistentVolumeUpdate',
    VOLUME,
    { spec: RIGHT },
    withSpec({ volumeMode: 'Block' }),
    'volumeMode: Invalid value: "Block": field is immutable',
  ],
  [
    'affinity where there was none',
    'validatePvNodeAffinity',
    VOLUME,
    { spec: RIGHT },
    withSpec({ nodeAffinity: AFFINITY }),
  ],
  [
    'no affinity any more',
    'validatePvNodeAffinity',
    VOLUME,
    withSpec({ nodeAffinity: AFFINITY }),
    { spec: RIGHT },
    'nodeAffinity: Invalid value: null: field is immutable',
  ],
]);
