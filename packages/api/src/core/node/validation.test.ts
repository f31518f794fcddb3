import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const NODE: Kind = ['', 'Node', false];

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('nodes', [
  ['right node', 'ValidateNode', NODE, { status: { capacity: { cpu: '1', pods: '110' } } }],
  [
    'taints of a node',
    'validateNodeTaints',
    NODE,
    { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoSchedule' }, { key: 'b' }] } },
    'metadata.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}: taints must be unique by key and effect pair',
    'metadata.taints[2].effect: Required value',
  ],
  [
    'half a pod',
    'ValidateNodeResources',
    NODE,
    { status: { capacity: { pods: '500m' }, allocatable: { pods: '1' } } },
    'status.capacity.pods: Invalid value: "500m": must be an integer',
  ],
]);

checkUpdate('nodes', [
  [
    'range of a node',
    'ValidateNodeUpdate',
    NODE,
    { spec: { podCIDR: '10.0.0.0/24' } },
    { spec: { podCIDR: '10.0.1.0/24' } },
    'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
  ],
  [
    'provider of a node',
    'ValidateNodeUpdate',
    NODE,
    { spec: { providerID: 'a' } },
    { spec: { providerID: 'b' } },
    'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
  ],
]);
