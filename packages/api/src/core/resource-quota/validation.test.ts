import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const QUOTA: Kind = ['', 'ResourceQuota', true];
const quota = (spec: object): object => ({ spec });
const selecting = (requirement: object, hard: object = {}): object =>
  quota({ hard, scopeSelector: { matchExpressions: [requirement] } });

// Provenance: upstream pkg/apis/core/validation/validation.go.
checkCreate('quotas', [
  [
    'right',
    'ValidateResourceQuota',
    QUOTA,
    quota({ hard: { cpu: '1', pods: '10', 'count/deployments.apps': '5', 'requests.storage': '1Gi' } }),
  ],
  ['of the best effort', 'validateResourceQuotaScopes', QUOTA, quota({ hard: { pods: '1' }, scopes: ['BestEffort'] })],
  [
    'an unknown resource',
    'ValidateResourceQuotaResourceName',
    QUOTA,
    quota({ hard: { storage: '1Gi' } }),
    'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
  ],
  [
    'a part of a pod',
    'ValidateResourceQuantityValue',
    QUOTA,
    quota({ hard: { pods: '500m', cpu: '-1' } }),
    'spec.hard[pods]: Invalid value: "500m": must be an integer',
    'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
  ],
  [
    'scopes that contradict each other, one unknown',
    'validateResourceQuotaScopes',
    QUOTA,
    quota({ scopes: ['Terminating', 'NotTerminating', 'Foo'] }),
    'spec.scopes: Invalid value: ["Terminating","NotTerminating","Foo"]: unsupported scope',
    'spec.scopes: Invalid value: ["Terminating","NotTerminating","Foo"]: conflicting scopes',
  ],
  [
    'a scope of something else',
    'validateResourceQuotaScopes',
    QUOTA,
    quota({ hard: { services: '1' }, scopes: ['Terminating'] }),
    'spec.scopes: Invalid value: ["Terminating"]: unsupported scope applied to resource',
  ],
  [
    'by priority',
    'validateScopedResourceSelectorRequirement',
    QUOTA,
    selecting({ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }, { pods: '1' }),
  ],
  [
    'by no priority',
    'validateScopedResourceSelectorRequirement',
    QUOTA,
    selecting({ scopeName: 'PriorityClass', operator: 'In' }),
    "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
  ],
  [
    'values where there are none',
    'validateScopedResourceSelectorRequirement',
    QUOTA,
    selecting({ scopeName: 'PriorityClass', operator: 'Exists', values: ['x'] }),
    "spec.scopeSelector.matchExpressions.values: Invalid value: [\"x\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
  ],
  [
    'an unknown operator',
    'validateScopedResourceSelectorRequirement',
    QUOTA,
    selecting({ scopeName: 'PriorityClass', operator: 'Foo' }),
    'spec.scopeSelector.matchExpressions.operator: Invalid value: "Foo": not a valid selector operator',
  ],
]);

checkUpdate('quotas', [
  ['an amount', 'ValidateResourceQuotaUpdate', QUOTA, quota({ hard: { pods: '1' } }), quota({ hard: { pods: '2' } })],
  [
    'a scope',
    'ValidateResourceQuotaUpdate',
    QUOTA,
    quota({ hard: { pods: '1' } }),
    quota({ hard: { pods: '1' }, scopes: ['BestEffort'] }),
    'spec.scopes: Invalid value: ["BestEffort"]: field is immutable',
  ],
]);

checkCreate('resource quotas with names of prototypes', [
  [
    'scopes',
    'ValidateResourceQuotaSpec',
    ['', 'ResourceQuota', true],
    { spec: { hard: { pods: '1' }, scopes: ['constructor'] } },
    'spec.scopes: Invalid value: ["constructor"]: unsupported scope',
  ],
]);
