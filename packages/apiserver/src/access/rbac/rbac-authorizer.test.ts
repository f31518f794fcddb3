import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '@binnacle/api';
import type { UserInfo } from '@binnacle/machinery';
import {
  defaultClusterRoleBindings,
  defaultClusterRoles,
  defaultRoleBindings,
  defaultRoles,
} from '../default-roles/rbac-objects.ts';
import { attributesOf } from '../../testing/attributes.ts';
import { MemoryCache } from '../../testing/memory-cache.ts';
import { createAuthorizerChain } from '../authorizer.ts';
import { denied } from '../denial.ts';
import { createRbacAuthorizer } from './rbac-authorizer.ts';
import { RbacIndex } from './rbac-index.ts';
import { ANONYMOUS, serviceAccountUser } from '../users.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ALICE: UserInfo = { name: 'alice', groups: ['dev', 'system:authenticated'] };
const ADMIN: UserInfo = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const SCHEDULER: UserInfo = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };

function defaults(): MemoryCache {
  const cache = new MemoryCache();
  for (const role of defaultClusterRoles()) cache.put(CLUSTER_ROLES, role);
  for (const binding of defaultClusterRoleBindings()) cache.put(CLUSTER_ROLE_BINDINGS, binding);
  for (const role of defaultRoles()) cache.put(ROLES, role);
  for (const binding of defaultRoleBindings()) cache.put(ROLE_BINDINGS, binding);
  return cache;
}

function bind(cache: MemoryCache, role: string, namespace = 'default'): void {
  cache.put(ROLE_BINDINGS, {
    metadata: { namespace, name: `${role}-to-alice` },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'User', apiGroup: RBAC, name: 'alice' }],
  } as never);
}

describe('default roles', () => {
  const cache = defaults();
  bind(cache, 'edit');
  const authorizer = createAuthorizerChain([createRbacAuthorizer(new RbacIndex(cache))]);
  const replication = serviceAccountUser('kube-system', 'replication-controller');
  const rows: readonly (readonly [UserInfo, string, boolean])[] = [
    [ADMIN, 'delete core/nodes /n1', true],
    [ADMIN, 'get /metrics', true],
    [ALICE, 'list core/pods default', true],
    [ALICE, 'list core/pods other', false],
    [ALICE, 'list core/pods', false],
    [ALICE, 'create core/pods/eviction default/a', true],
    [ALICE, 'create apps/deployments default', true],
    [ALICE, 'update core/pods/status default/a', false],
    [ALICE, 'create rbac.authorization.k8s.io/roles default', false],
    [ALICE, 'get /api/v1', true],
    [ALICE, 'get /metrics', false],
    [ALICE, 'create authorization.k8s.io/selfsubjectaccessreviews', true],
    [ANONYMOUS, 'get /healthz', true],
    [ANONYMOUS, 'get /api', false],
    [ANONYMOUS, 'list core/pods default', false],
    [SCHEDULER, 'create core/pods/binding default/a', true],
    [SCHEDULER, 'update coordination.k8s.io/leases kube-system/kube-scheduler', true],
    [SCHEDULER, 'update coordination.k8s.io/leases other/x', false],
    [SCHEDULER, 'create core/pods default', false],
    [replication, 'create core/pods default', true],
    [replication, 'update core/replicationcontrollers/status default/a', true],
    [replication, 'update core/pods default/a', false],
    [serviceAccountUser('kube-system', 'generic-garbage-collector'), 'delete example.com/things default/a', true],
    [serviceAccountUser('kube-system', 'horizontal-pod-autoscaler'), 'update apps/deployments/scale default/a', true],
    [serviceAccountUser('default', 'default'), 'get /.well-known/openid-configuration', true],
  ];
  for (const [user, text, allowed] of rows) {
    test(`${user.name} may${allowed ? '' : ' not'} ${text}`, async () => {
      const answer = await authorizer.authorize(attributesOf(user, text));
      assert.equal(answer.decision, allowed ? 'allow' : 'noOpinion', answer.reason);
    });
  }
});

test('a change of a binding counts at once', () => {
  const cache = defaults();
  const authorizer = createRbacAuthorizer(new RbacIndex(cache));
  const asked = attributesOf(ALICE, 'get core/pods default/a');
  assert.equal(authorizer.authorize(asked).decision, 'noOpinion');
  bind(cache, 'view');
  assert.deepEqual(authorizer.authorize(asked), {
    decision: 'allow',
    reason: 'RBAC: allowed by RoleBinding "view-to-alice/default" of ClusterRole "view" to User "alice"',
  });
  cache.remove(ROLE_BINDINGS, 'default', 'view-to-alice');
  assert.equal(authorizer.authorize(asked).decision, 'noOpinion');
});

describe('the words of a refusal', () => {
  const cache = defaults();
  bind(cache, 'nowhere');
  const authorizer = createAuthorizerChain([createRbacAuthorizer(new RbacIndex(cache))]);
  const rows: readonly (readonly [string, UserInfo, string, string])[] = [
    [
      'list in a namespace',
      ANONYMOUS,
      'list core/pods default',
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'subresource of one object, role missing',
      ALICE,
      'get core/pods/log default/a',
      'pods "a" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "default": RBAC: clusterrole.rbac.authorization.k8s.io "nowhere" not found',
    ],
    [
      'cluster scope, named group',
      ALICE,
      'list apps/deployments',
      'deployments.apps is forbidden: User "alice" cannot list resource "deployments" in API group "apps" at the cluster scope',
    ],
    ['path', ALICE, 'get /metrics', 'forbidden: User "alice" cannot get path "/metrics"'],
  ];
  for (const [name, user, text, message] of rows) {
    test(name, async () => {
      const attributes = attributesOf(user, text);
      const error = denied(attributes, (await authorizer.authorize(attributes)).reason);
      assert.equal(error.status.message, message);
      assert.equal(error.status.code, 403);
    });
  }
});
