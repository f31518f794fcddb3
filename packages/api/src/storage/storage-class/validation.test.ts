import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const CLASS: Kind = ['storage.k8s.io', 'StorageClass', false];
const topology = (...values: string[]): object => ({ matchLabelExpressions: [{ key: 'zone', values }] });

// Provenance: upstream pkg/apis/storage/validation/validation.go.
checkCreate('storage classes', [
  [
    'right',
    'ValidateStorageClass',
    CLASS,
    { provisioner: 'example.com/P', parameters: { a: 'b' }, allowedTopologies: [topology('a', 'b')] },
  ],
  ['nothing', 'validateProvisioner', CLASS, {}, 'provisioner: Required value'],
  [
    'wrong names',
    'validateParameters',
    CLASS,
    { provisioner: 'x', parameters: { '': 'b' }, reclaimPolicy: 'Recycle', volumeBindingMode: 'Later' },
    'parameters: Invalid value: "": field can not be empty.',
    'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
    'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
  ],
  [
    'too many parameters',
    'validateParameters',
    CLASS,
    { provisioner: 'x', parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`p${i}`, ''])) },
    'parameters: Too long: may not be more than 512 bytes',
  ],
  [
    'topologies that repeat',
    'validateAllowedTopologies',
    CLASS,
    { provisioner: 'x', allowedTopologies: [topology('a', 'b'), topology('b', 'a'), topology(), topology('c', 'c')] },
    'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
    'allowedTopologies[2].matchLabelExpressions[0].values: Required value',
    'allowedTopologies[3].matchLabelExpressions[0].values[1]: Duplicate value: "c"',
  ],
]);

checkUpdate('storage classes', [
  [
    'expansion',
    'ValidateStorageClassUpdate',
    CLASS,
    { provisioner: 'x' },
    { provisioner: 'x', allowVolumeExpansion: true },
  ],
  [
    'everything else',
    'ValidateStorageClassUpdate',
    CLASS,
    { provisioner: 'x' },
    {
      provisioner: 'y',
      parameters: { constructor: 'b' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    'parameters: Forbidden: updates to parameters are forbidden.',
    'provisioner: Forbidden: updates to provisioner are forbidden.',
    'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
    'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
  ],
]);
