import { checkCreate } from './testing/kind-table.ts';
import type { Kind } from './testing/kind-table.ts';

const ACCOUNT: Kind = ['', 'ServiceAccount', true];

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('metadata', [['right account', 'ValidateServiceAccount', ACCOUNT, {}]]);
