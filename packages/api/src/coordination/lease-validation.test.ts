import { checkCreate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const LEASE: Kind = ['coordination.k8s.io', 'Lease', true];

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('leases', [
  ['right lease', 'ValidateLeaseSpec', LEASE, { spec: { leaseDurationSeconds: 40 } }],
  [
    'lease of no time',
    'ValidateLeaseSpec',
    LEASE,
    { spec: { leaseDurationSeconds: 0 } },
    'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
  ],
]);
