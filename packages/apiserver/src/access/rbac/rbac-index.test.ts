import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import { MemoryCache } from '../../testing/memory-cache.ts';
import { RbacIndex } from './rbac-index.ts';
import { serviceAccountUser } from '../users.ts';

const RULE = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

function binding(subject: object, roleRef: object): KubeObject {
  return { metadata: { namespace: 'a', name: 'b' }, subjects: [subject], roleRef } as never;
}

test('a ServiceAccount without a namespace is one of the binding’s namespace', () => {
  const cache = new MemoryCache();
  cache.put(ROLES, { metadata: { namespace: 'a', name: 'r' }, rules: [RULE] } as never);
  cache.put(ROLE_BINDINGS, binding({ kind: 'ServiceAccount', name: 's' }, { kind: 'Role', name: 'r' }));
  const index = new RbacIndex(cache);
  assert.equal(index.ruleSets(serviceAccountUser('a', 's'), 'a')[1]?.bound.length, 1);
  assert.equal(index.ruleSets(serviceAccountUser('b', 's'), 'a')[1]?.bound.length, 0);
  assert.equal(index.ruleSets(serviceAccountUser('a', 's'), 'b')[1]?.bound.length, 0);
});

test('rule sets are kept until a role or a binding changes', () => {
  const cache = new MemoryCache();
  cache.put(ROLE_BINDINGS, binding({ kind: 'User', name: 'u' }, { kind: 'ClusterRole', name: 'r' }));
  const index = new RbacIndex(cache);
  const user = { name: 'u', groups: [] };
  const [, first] = index.ruleSets(user, 'a');
  assert.deepEqual(first, { bound: [], errors: ['clusterrole.rbac.authorization.k8s.io "r" not found'] });
  assert.equal(index.ruleSets(user, 'a')[1], first);
  cache.put(CLUSTER_ROLES, { metadata: { name: 'r' }, rules: [RULE] } as never);
  assert.deepEqual(index.ruleSets(user, 'a')[1], {
    bound: [
      {
        rules: [RULE],
        allows: {
          decision: 'allow',
          reason: 'RBAC: allowed by RoleBinding "b/a" of ClusterRole "r" to User "u"',
        },
      },
    ],
    errors: [],
  });
});

test('a binding that applies twice counts once; closed, the index follows no more', () => {
  const cache = new MemoryCache();
  cache.put(CLUSTER_ROLES, { metadata: { name: 'r' }, rules: [RULE] } as never);
  cache.put(ROLE_BINDINGS, {
    metadata: { namespace: 'a', name: 'b' },
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
    ],
    roleRef: { kind: 'ClusterRole', name: 'r' },
  } as never);
  const index = new RbacIndex(cache);
  const user = { name: 'u', groups: ['g'] };
  assert.equal(index.ruleSets(user, 'a')[1]?.bound.length, 1);
  index.close();
  cache.remove(ROLE_BINDINGS, 'a', 'b');
  assert.equal(index.ruleSets(user, 'a')[1]?.bound.length, 1);
});
