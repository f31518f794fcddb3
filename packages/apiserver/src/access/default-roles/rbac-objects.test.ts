import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aggregateRules, sameRules } from '../rbac/role-aggregation.ts';
import {
  defaultClusterRoleBindings,
  defaultClusterRoles,
  defaultRoleBindings,
  defaultRoles,
  nodeRules,
} from './rbac-objects.ts';
import { parseRule } from '../rbac/rule-text.ts';

describe('rule text', () => {
  const rows: readonly (readonly [string, object])[] = [
    ['core pods : read', { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
    [
      'core,apps pods deployments/scale : update get',
      { verbs: ['get', 'update'], apiGroups: ['', 'apps'], resources: ['pods', 'deployments/scale'] },
    ],
    [
      'certificates.k8s.io signers [kubernetes.io/a b] : sign',
      {
        verbs: ['sign'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: ['kubernetes.io/a', 'b'],
      },
    ],
    ['url /api /api/* : get', { verbs: ['get'], nonResourceURLs: ['/api', '/api/*'] }],
    ['* * : *', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    ['* */scale : get', { verbs: ['get'], apiGroups: ['*'], resources: ['*/scale'] }],
  ];
  for (const [text, rule] of rows) test(text, () => assert.deepEqual(parseRule(text), rule));
  for (const text of [
    'pods : get',
    'core pods',
    'core pods : ',
    'core  : get',
    'core pods [] : get',
    'core a : get : b',
  ]) {
    test(`a malformed text is our bug: ${text}`, () => assert.throws(() => parseRule(text), /malformed/));
  }
});

test('every binding points to a role that exists, every role has rules', () => {
  const clusterRoles = new Map(defaultClusterRoles().map((role) => [role.metadata.name, role]));
  const roles = new Set(defaultRoles().map((role) => `${role.metadata.namespace}/${role.metadata.name}`));
  for (const binding of defaultClusterRoleBindings()) assert.ok(clusterRoles.has(binding.roleRef.name));
  for (const binding of defaultRoleBindings()) {
    assert.ok(roles.has(`${binding.metadata.namespace}/${binding.roleRef.name}`), binding.metadata.name);
  }
  for (const role of clusterRoles.values()) assert.ok((role.rules ?? []).length > 0, role.metadata.name);
});

test('aggregated roles hold what the follower would compute', () => {
  const all = defaultClusterRoles();
  const aggregating = all.filter((role) => role.aggregationRule !== undefined);
  assert.deepEqual(
    aggregating.map((role) => role.metadata.name),
    ['admin', 'edit', 'view'],
  );
  for (const role of aggregating) assert.ok(sameRules(aggregateRules(role, all), role.rules ?? []));
  const rules = aggregating[0]?.rules ?? [];
  assert.ok(rules.some((rule) => rule.resources?.includes('pods/exec') === true));
  assert.ok(rules.some((rule) => rule.resources?.includes('rolebindings') === true));
});

test('only cluster-admin may do everything, and only the privileged group is bound to it', () => {
  const isAll = (names: readonly string[] | undefined): boolean => names?.includes('*') === true;
  const roles = [...defaultClusterRoles(), ...defaultRoles()];
  const all = roles.filter(({ rules }) =>
    rules?.some(
      ({ verbs, resources, nonResourceURLs }) => isAll(verbs) && (isAll(resources) || isAll(nonResourceURLs)),
    ),
  );
  assert.deepEqual(
    all.map(({ metadata }) => metadata.name),
    ['cluster-admin'],
  );
  const bindings = [...defaultClusterRoleBindings(), ...defaultRoleBindings()];
  assert.deepEqual(
    bindings.filter(({ roleRef }) => roleRef.name === 'cluster-admin').flatMap(({ subjects }) => subjects),
    [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:masters' }],
  );
});

test('the feature gate ClusterTrustBundle has roles of its own, and nodes read bundles with it', () => {
  const namesOf = (objects: readonly { metadata: { name?: string } }[]): string[] =>
    objects.map(({ metadata }) => metadata.name ?? '');
  const on = { trustBundles: true };
  const more = [
    'system:cluster-trust-bundle-discovery',
    'system:controller:kube-apiserver-serving-clustertrustbundle-publisher',
  ];
  for (const made of [defaultClusterRoles, defaultClusterRoleBindings]) {
    const before = new Set(namesOf(made()));
    assert.deepEqual(
      namesOf(made(on)).filter((name) => !before.has(name)),
      more,
    );
  }
  const [subject] = defaultClusterRoleBindings(on).find(({ metadata }) => metadata.name === more[0])?.subjects ?? [];
  assert.deepEqual(subject, {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'Group',
    name: 'system:serviceaccounts',
  });
  const read = {
    apiGroups: ['certificates.k8s.io'],
    resources: ['clustertrustbundles'],
    verbs: ['get', 'list', 'watch'],
  };
  assert.deepEqual(nodeRules(on).slice(nodeRules().length), [read]);
  const node = defaultClusterRoles(on).find(({ metadata }) => metadata.name === 'system:node');
  assert.deepEqual(node?.rules?.at(-1), read);
});
