import { describe } from 'node:test';
import { CLUSTER_ROLES, ROLE_BINDINGS } from '@binnacle/api';
import { createRbacAuthorizer } from '../access/rbac/rbac-authorizer.ts';
import { RbacIndex } from '../access/rbac/rbac-index.ts';
import { admissionTable } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createRoleEscalation } from './role-escalation.ts';

describe('RoleEscalation', () => {
  const cache = new MemoryCache();
  const RBAC = 'rbac.authorization.k8s.io';
  cache.put(CLUSTER_ROLES, {
    metadata: { name: 'reader' },
    rules: [
      { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['create'], apiGroups: [RBAC], resources: ['roles', 'rolebindings'] },
    ],
  } as never);
  cache.put(CLUSTER_ROLES, {
    metadata: { name: 'root' },
    rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  } as never);
  cache.put(ROLE_BINDINGS, {
    metadata: { namespace: 'default', name: 'r' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'User', name: 'alice' }],
  } as never);
  const index = new RbacIndex(cache);
  const role = (rules: readonly object[]): object => ({ metadata: { namespace: 'default', name: 'x' }, rules });
  const binding = (name: string): object => ({
    metadata: { namespace: 'default', name: 'b' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
  });
  admissionTable(createRoleEscalation(index, createRbacAuthorizer(index)), [
    [
      'rules that the writer has',
      {
        operation: 'CREATE',
        resource: `roles.${RBAC}`,
        object: role([{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }]),
      },
      undefined,
    ],
    [
      'rules that the writer has not',
      {
        operation: 'CREATE',
        resource: `roles.${RBAC}`,
        object: role([{ verbs: ['get', 'delete', 'watch'], apiGroups: [''], resources: ['pods'] }]),
      },
      `roles.${RBAC} "x" is forbidden: user "alice" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}`,
    ],
    [
      'a binding to what the writer has',
      { operation: 'CREATE', resource: `rolebindings.${RBAC}`, object: binding('reader') },
      undefined,
    ],
    [
      'a binding to more',
      { operation: 'CREATE', resource: `rolebindings.${RBAC}`, object: binding('root') },
      `rolebindings.${RBAC} "b" is forbidden: user "alice" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}`,
    ],
    [
      'a binding to nothing',
      { operation: 'CREATE', resource: `rolebindings.${RBAC}`, object: binding('nowhere') },
      `clusterrole.${RBAC} "nowhere" not found`,
    ],
    [
      'a master may',
      {
        operation: 'CREATE',
        resource: `rolebindings.${RBAC}`,
        object: binding('root'),
        user: { name: 'admin', groups: ['system:masters'] },
      },
      undefined,
    ],
  ]);
});
