import { checkCreate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const SCALE: Kind = ['autoscaling', 'Scale', true];

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('scales', [
  [
    'negative scale',
    'ValidateScale',
    SCALE,
    { spec: { replicas: -1 } },
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ],
]);
