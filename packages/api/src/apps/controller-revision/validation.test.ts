import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const REVISION: Kind = ['apps', 'ControllerRevision', true];
const RIGHT = { data: { spec: {} }, revision: 1 };

// Provenance: upstream pkg/apis/apps/validation/validation.go.
checkCreate('controller revisions', [
  ['right', 'ValidateControllerRevision', REVISION, RIGHT],
  [
    'nothing in it',
    'ValidateControllerRevision',
    REVISION,
    { revision: -1 },
    'data: Required value: data is mandatory',
    'revision: Invalid value: -1: must be greater than or equal to 0',
  ],
]);

checkUpdate('controller revisions', [
  ['its number', 'ValidateControllerRevisionUpdate', REVISION, RIGHT, { ...RIGHT, revision: 2 }],
  [
    'its data',
    'ValidateControllerRevisionUpdate',
    REVISION,
    RIGHT,
    { ...RIGHT, data: { other: 1 } },
    'data: Invalid value: {"other":1}: field is immutable',
  ],
]);
