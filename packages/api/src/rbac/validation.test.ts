import { checkCreate, checkUpdate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const ROLE: Kind = ['rbac.authorization.k8s.io', 'Role', true];
const CLUSTER_ROLE: Kind = ['rbac.authorization.k8s.io', 'ClusterRole', false];
const ROLE_BINDING: Kind = ['rbac.authorization.k8s.io', 'RoleBinding', true];
const CLUSTER_ROLE_BINDING: Kind = ['rbac.authorization.k8s.io', 'ClusterRoleBinding', false];
const REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
const RBAC_GROUP = 'rbac.authorization.k8s.io';

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('roles and bindings', [
  [
    'rule without verbs',
    'ValidatePolicyRule',
    ROLE,
    { rules: [{ apiGroups: [''], resources: ['pods'] }] },
    'rules[0].verbs: Required value: verbs must contain at least one value',
  ],
  [
    'URLs in a role',
    'ValidatePolicyRule',
    ROLE,
    { rules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] },
    'rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs',
  ],
  [
    'URLs in a cluster role',
    'ValidatePolicyRule',
    CLUSTER_ROLE,
    { rules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] },
  ],
  [
    'name of a role',
    'IsValidPathSegmentName',
    ROLE,
    { metadata: { name: 'a/b' } },
    'metadata.name: Invalid value: "a/b": may not contain \'/\'',
  ],
  ['colons in the name of a role', 'IsValidPathSegmentName', CLUSTER_ROLE, { metadata: { name: 'system:node' } }],
  [
    'role of a binding',
    'ValidateRoleBinding',
    ROLE_BINDING,
    { roleRef: { kind: 'Foo', name: '' }, subjects: [{ kind: 'User', name: 'u' }] },
    'roleRef.kind: Unsupported value: "Foo": supported values: "Role", "ClusterRole"',
    'roleRef.name: Required value',
  ],
  [
    'account without a namespace',
    'ValidateRoleBindingSubject',
    CLUSTER_ROLE_BINDING,
    {
      roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 'a' }],
    },
    'subjects[0].namespace: Required value',
  ],
]);

checkUpdate('roles and bindings', [
  [
    'role of a binding',
    'ValidateRoleBindingUpdate',
    ROLE_BINDING,
    { roleRef: REF },
    { roleRef: { ...REF, name: 's' } },
    'roleRef: Invalid value: {"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"s"}: cannot change roleRef',
  ],
]);
