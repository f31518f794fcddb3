import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const CONFIG_MAP: Kind = ['', 'ConfigMap', true];

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('config maps', [
  [
    'key in both',
    'ValidateConfigMap',
    CONFIG_MAP,
    { data: { a: 'x' }, binaryData: { a: 'eA==' } },
    'data[a]: Invalid value: "a": duplicate of key present in binaryData',
  ],
  [
    'keys of names that objects inherit are like any other',
    'ValidateConfigMap',
    CONFIG_MAP,
    { data: { constructor: 'x', toString: 'y' }, binaryData: { valueOf: 'eA==' } },
  ],
  [
    'large config map',
    'ValidateConfigMap',
    CONFIG_MAP,
    { data: { a: 'A'.repeat(1_048_577) } },
    '[]: Too long: may not be more than 1048576 bytes',
  ],
  [
    'finalizer without a domain',
    'validateKubeFinalizerName',
    CONFIG_MAP,
    { metadata: { finalizers: ['foo'] } },
    'metadata.finalizers[0]: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
  ],
]);

checkUpdate('config maps', [
  [
    'thawed config map',
    'ValidateConfigMapUpdate',
    CONFIG_MAP,
    { immutable: true },
    {},
    'immutable: Forbidden: field is immutable when `immutable` is set',
  ],
]);
