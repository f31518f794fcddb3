import { checkCreate } from './kind-table.test.ts';
import type { Kind } from './kind-table.test.ts';

const ACCOUNT: Kind = ['', 'ServiceAccount', true];

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('metadata', [['right account', 'ValidateServiceAccount', ACCOUNT, {}]]);
