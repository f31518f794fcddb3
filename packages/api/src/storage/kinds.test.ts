import { checkCreate, checkUpdate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const DRIVER: Kind = ['storage.k8s.io', 'CSIDriver', false];
const NODE: Kind = ['storage.k8s.io', 'CSINode', false];
const CAPACITY: Kind = ['storage.k8s.io', 'CSIStorageCapacity', true];
const ATTACHMENT: Kind = ['storage.k8s.io', 'VolumeAttachment', false];
const ATTRIBUTES: Kind = ['storage.k8s.io', 'VolumeAttributesClass', false];
const attachment = (source: object): object => ({ spec: { attacher: 'x.io', nodeName: 'n', source } });
const drivers = (...list: object[]): object => ({ spec: { drivers: list } });
const ONE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

// Provenance: upstream pkg/apis/storage/validation/validation.go.
checkCreate('kinds of storage', [
  ['right', 'ValidateCSIDriver', DRIVER, { spec: {} }],
  [
    'wrong choices',
    'validateCSIDriverSpec',
    DRIVER,
    {
      spec: {
        fsGroupPolicy: 'x',
        volumeLifecycleModes: ['Ephemeral', 'x'],
        tokenRequests: [
          { audience: 'a' },
          { audience: 'a', expirationSeconds: 1 },
          { audience: 'b', expirationSeconds: 2 ** 33 },
        ],
        nodeAllocatableUpdatePeriodSeconds: 1,
      },
    },
    'spec.fsGroupPolicy: Unsupported value: "x": supported values: "File", "None", "ReadWriteOnceWithFSType"',
    'spec.tokenRequests[1].audience: Duplicate value: "a"',
    'spec.tokenRequests[1].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
    'spec.tokenRequests[2].expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
    'spec.volumeLifecycleModes[1]: Unsupported value: "x": supported values: "Ephemeral", "Persistent"',
    'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 1: must be greater than or equal to 10 seconds',
  ],
  ['right', 'ValidateCSINode', NODE, drivers({ name: 'x.io', nodeID: 'n', topologyKeys: ['a/b'] })],
  ['nothing', 'ValidateCSINode', NODE, { spec: { drivers: null } }],
  [
    'wrong drivers',
    'validateCSINodeDriver',
    NODE,
    drivers(
      { name: 'x.io', nodeID: '', topologyKeys: ['a', 'a'] },
      { name: 'x.io', nodeID: 'n'.repeat(193), allocatable: { count: -1 } },
      { name: 'x'.repeat(64), nodeID: 'n' },
    ),
    'spec.drivers[0].nodeID: Required value',
    'spec.drivers[0].topologyKeys[1]: Duplicate value: "a"',
    `spec.drivers[1].nodeID: Invalid value: "${'n'.repeat(193)}": must be 192 characters or less`,
    'spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
    'spec.drivers[1].name: Duplicate value: "x.io"',
    'spec.drivers[2].name: Too long: may not be more than 63 bytes',
  ],
  ['right', 'ValidateCSIStorageCapacity', CAPACITY, { storageClassName: 's', capacity: '1Gi' }],
  [
    'less than nothing',
    'ValidateCSIStorageCapacity',
    CAPACITY,
    { storageClassName: 's', capacity: '-1', maximumVolumeSize: '-1' },
    'capacity: Invalid value: "-1": must be greater than or equal to 0',
    'maximumVolumeSize: Invalid value: "-1": must be greater than or equal to 0',
  ],
  ['right', 'ValidateVolumeAttachment', ATTACHMENT, attachment({ persistentVolumeName: 'v' })],
  ['no source', 'validateVolumeAttachmentSource', ATTACHMENT, attachment({}), `spec.source: Required value: ${ONE}`],
  [
    'two sources',
    'validateVolumeAttachmentSource',
    ATTACHMENT,
    attachment({ persistentVolumeName: 'v', inlineVolumeSpec: {} }),
    `spec.source: Forbidden: ${ONE}`,
  ],
  [
    'no name',
    'validateVolumeAttachmentSource',
    ATTACHMENT,
    attachment({ persistentVolumeName: '' }),
    'spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName',
  ],
  ['right', 'ValidateVolumeAttributesClass', ATTRIBUTES, { driverName: 'x.io', parameters: { a: 'b' } }],
  [
    'nothing',
    'ValidateVolumeAttributesClass',
    ATTRIBUTES,
    {},
    'driverName: Required value',
    'parameters: Required value: must contain at least one key/value pair',
  ],
]);

checkUpdate('kinds of storage', [
  [
    'a policy',
    'ValidateCSIDriverUpdate',
    DRIVER,
    { spec: {} },
    { spec: { fsGroupPolicy: 'File', podInfoOnMount: true } },
  ],
  [
    'the way of attaching',
    'ValidateCSIDriverUpdate',
    DRIVER,
    { spec: {} },
    { spec: { attachRequired: false } },
    'spec.attachedRequired: Invalid value: false: field is immutable',
  ],
  [
    'room',
    'ValidateCSINodeUpdate',
    NODE,
    drivers({ name: 'x', nodeID: 'n' }),
    drivers({ name: 'x', nodeID: 'n', allocatable: { count: 3 } }),
  ],
  [
    'a driver',
    'ValidateCSINodeUpdate',
    NODE,
    drivers({ name: 'x', nodeID: 'n' }),
    drivers({ name: 'x', nodeID: 'm' }),
    'CSINodeDriver: Invalid value: {"name":"x","nodeID":"m"}: field is immutable',
  ],
  [
    'how much',
    'ValidateCSIStorageCapacityUpdate',
    CAPACITY,
    { storageClassName: 's', capacity: '1' },
    { storageClassName: 's', capacity: '2' },
  ],
  [
    'of what',
    'ValidateCSIStorageCapacityUpdate',
    CAPACITY,
    { storageClassName: 's' },
    { storageClassName: 't' },
    'storageClassName: Invalid value: "t": field is immutable',
  ],
  [
    'an attachment',
    'ValidateVolumeAttachmentUpdate',
    ATTACHMENT,
    attachment({ persistentVolumeName: 'v' }),
    attachment({ persistentVolumeName: 'w' }),
    'spec: Invalid value: {"attacher":"x.io","nodeName":"n","source":{"persistentVolumeName":"w"}}: field is immutable',
  ],
  [
    'a class',
    'ValidateVolumeAttributesClassUpdate',
    ATTRIBUTES,
    { driverName: 'x', parameters: { a: 'b' } },
    { driverName: 'y', parameters: { a: 'c' } },
    'driverName: Forbidden: updates to driverName are forbidden.',
    'parameters: Forbidden: updates to parameters are forbidden.',
  ],
]);
