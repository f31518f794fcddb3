import { checkCreate, checkUpdate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const CLASS: Kind = ['scheduling.k8s.io', 'PriorityClass', false];
const RESERVED =
  "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error:";

// Provenance: upstream pkg/apis/scheduling/validation/validation.go and helpers.go.
checkCreate('priority classes', [
  ['right', 'ValidatePriorityClass', CLASS, { value: 1_000_000_000 }],
  [
    'of the system',
    'IsKnownSystemPriorityClass',
    CLASS,
    { metadata: { name: 'system-node-critical' }, value: 2_000_001_000 },
  ],
  [
    'too high',
    'ValidatePriorityClass',
    CLASS,
    { value: 1_000_000_001 },
    'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
  ],
  [
    'a reserved name',
    'IsKnownSystemPriorityClass',
    CLASS,
    { metadata: { name: 'system-x' }, value: 1 },
    `${RESERVED} system-x is not a known system priority class`,
  ],
  [
    'another value for the system',
    'IsKnownSystemPriorityClass',
    CLASS,
    { metadata: { name: 'system-cluster-critical' }, value: 1 },
    `${RESERVED} value of system-cluster-critical PriorityClass must be 2000000000`,
  ],
  [
    'an unknown policy',
    'ValidatePreemptionPolicy',
    CLASS,
    { value: 1, preemptionPolicy: 'Foo' },
    'preemptionPolicy: Unsupported value: "Foo": supported values: "PreemptLowerPriority", "Never"',
  ],
]);

checkUpdate('priority classes', [
  [
    'value and policy',
    'ValidatePriorityClassUpdate',
    CLASS,
    { value: 1 },
    { value: 2, preemptionPolicy: 'Never' },
    'value: Forbidden: may not be changed in an update.',
    'preemptionPolicy: Invalid value: "Never": field is immutable',
  ],
]);
