import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkCreate, checkUpdate, kindOf, objectOf, texts } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';
import { validateStatusUpdate } from '../../validate.ts';

const CLAIM: Kind = ['', 'PersistentVolumeClaim', true];
const sized = (storage: string): object => ({
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage } },
  volumeName: 'v',
});
const bound = (storage: string, fields: object = {}): object => ({
  spec: { ...sized(storage), ...fields },
  status: { phase: 'Bound', capacity: { storage: '1Gi' } },
});
const FIXED =
  'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

// Provenance: upstream pkg/apis/core/validation/validation.go.
checkCreate('claims', [
  ['right', 'ValidatePersistentVolumeClaim', CLAIM, { spec: sized('1Gi') }],
  [
    'nothing',
    'ValidatePersistentVolumeClaimSpec',
    CLAIM,
    { spec: {} },
    'spec.accessModes: Required value: at least 1 access mode is required',
    'spec.resources[storage]: Required value',
  ],
  [
    'from something',
    'validateDataSource',
    CLAIM,
    { spec: { ...sized('1Gi'), dataSource: { kind: 'VolumeSnapshot', name: 's' } } },
    'spec.dataSource: Invalid value: "VolumeSnapshot": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
  ],
  [
    'from two things',
    'ValidatePersistentVolumeClaimSpec',
    CLAIM,
    {
      spec: {
        ...sized('1Gi'),
        dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' },
      },
    },
    'spec: Invalid value: "spec.dataSource": must match dataSourceRef',
  ],
]);

checkUpdate('claims', [
  ['larger', 'ValidatePersistentVolumeClaimUpdate', CLAIM, bound('1Gi'), bound('2Gi')],
  ['less than asked for, more than there is', 'ValidatePersistentVolumeClaimUpdate', CLAIM, bound('3Gi'), bound('2Gi')],
  [
    'less than there is',
    'ValidatePersistentVolumeClaimUpdate',
    CLAIM,
    bound('3Gi'),
    bound('1Gi'),
    'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
  ],
  [
    'larger before it is bound',
    'ValidatePersistentVolumeClaimUpdate',
    CLAIM,
    { spec: sized('1Gi') },
    { spec: sized('2Gi') },
    `${FIXED}\n- resources.requests.storage: "1Gi"\n+ resources.requests.storage: "2Gi"`,
  ],
  [
    'its volume, once',
    'ValidatePersistentVolumeClaimUpdate',
    CLAIM,
    { spec: { ...sized('1Gi'), volumeName: '' } },
    { spec: sized('1Gi') },
  ],
  [
    'another volume',
    'ValidatePersistentVolumeClaimUpdate',
    CLAIM,
    bound('1Gi'),
    bound('1Gi', { volumeName: 'w' }),
    `${FIXED}\n- volumeName: "v"\n+ volumeName: "w"`,
  ],
  [
    'a class where there was none',
    'validateStorageClassUpgradeFromNil',
    CLAIM,
    bound('1Gi'),
    bound('1Gi', { storageClassName: 'c' }),
  ],
  [
    'another class',
    'ValidatePersistentVolumeClaimUpdate',
    CLAIM,
    bound('1Gi', { storageClassName: 'c' }),
    bound('1Gi', { storageClassName: 'd' }),
    `${FIXED}\n- storageClassName: "c"\n+ storageClassName: "d"`,
  ],
  [
    'attributes taken away',
    'ValidatePersistentVolumeClaimUpdate',
    CLAIM,
    bound('1Gi', { volumeAttributesClassName: 'fast' }),
    bound('1Gi', { volumeAttributesClassName: '' }),
    'spec.volumeAttributesClassName: Forbidden: update from non-nil value to an empty string is forbidden',
  ],
]);

it('checks what a claim has got (ValidatePersistentVolumeClaimStatusUpdate)', () => {
  const before = objectOf(CLAIM, { spec: sized('1Gi') });
  const status = {
    capacity: { storage: '-1' },
    allocatedResources: { cpu: '1' },
    allocatedResourceStatuses: { storage: 'Foo' },
  };
  const after = objectOf(CLAIM, { spec: sized('1Gi'), status });
  assert.deepEqual(texts(validateStatusUpdate(kindOf(CLAIM), after, before)), [
    'status.capacity[storage]: Invalid value: "-1": must be a valid resource quantity',
    'status.allocatedResourceStatus: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
  ]);
});
