import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const CLASS: Kind = ['node.k8s.io', 'RuntimeClass', false];
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

// Provenance: upstream pkg/apis/node/validation/validation.go.
checkCreate('runtime classes', [
  ['right', 'ValidateRuntimeClass', CLASS, { handler: 'runc', overhead: { podFixed: { cpu: '1' } } }],
  ['a wrong handler', 'ValidateRuntimeClass', CLASS, { handler: 'A' }, `handler: Invalid value: "A": ${LABEL}`],
  [
    'less than nothing',
    'validateOverhead',
    CLASS,
    { handler: 'a', overhead: { podFixed: { cpu: '-1' } } },
    'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
  ],
]);

checkUpdate('runtime classes', [
  [
    'another handler',
    'ValidateRuntimeClassUpdate',
    CLASS,
    { handler: 'a' },
    { handler: 'b' },
    'handler: Invalid value: "b": field is immutable',
  ],
]);
