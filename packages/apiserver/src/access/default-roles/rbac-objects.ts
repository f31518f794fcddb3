import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '@binnacle/api/rbac/v1';
import { aggregateRules, sameRules } from '../rbac/role-aggregation.ts';
import { CLUSTER_ROLE_BINDING_TEXTS, CLUSTER_ROLE_TEXTS, NODE_RULES } from './cluster-roles.ts';
import type { ClusterRoleText } from './cluster-roles.ts';
import { CONTROLLER_ROLE_TEXTS } from './controller-roles.ts';
import { NAMESPACE_ROLE_TEXTS } from './namespace-roles.ts';
import { TRUST_BUNDLE_ROLES } from './trust-bundle-roles.ts';
import { parseRule } from '../rbac/rule-text.ts';

const RBAC = 'rbac.authorization.k8s.io';
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const NO_MORE: Pick<typeof TRUST_BUNDLE_ROLES, 'cluster' | 'bindings' | 'controllers'> = {
  cluster: {},
  bindings: {},
  controllers: {},
};
const ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };

/** By which feature gates default roles differ. */
export interface RoleFeatures {
  /** ClusterTrustBundle. Absent: off. */
  readonly trustBundles?: boolean;
}

/** The rules of `system:node`, which the Node authorizer goes by too. */
export function nodeRules({ trustBundles = false }: RoleFeatures = {}): readonly PolicyRule[] {
  return [...NODE_RULES, ...(trustBundles ? TRUST_BUNDLE_ROLES.node : [])].map(parseRule);
}

/** The default ClusterRoles as objects; aggregated ones carry the rules they aggregate, so that they work at once. */
export function defaultClusterRoles(features: RoleFeatures = {}): ClusterRole[] {
  const more = features.trustBundles === true ? TRUST_BUNDLE_ROLES : NO_MORE;
  const texts = Object.entries({ ...CLUSTER_ROLE_TEXTS, ...more.cluster });
  const roles = texts.map(([name, text]) =>
    name === 'system:node' ? { ...clusterRole(name, text), rules: [...nodeRules(features)] } : clusterRole(name, text),
  );
  for (const [controller, rules] of Object.entries({ ...CONTROLLER_ROLE_TEXTS, ...more.controllers })) {
    roles.push(clusterRole(controllerRoleName(controller), { rules }));
  }
  return aggregateAll(roles);
}

export function defaultClusterRoleBindings({ trustBundles = false }: RoleFeatures = {}): ClusterRoleBinding[] {
  const more = trustBundles ? TRUST_BUNDLE_ROLES : NO_MORE;
  const texts = Object.entries({ ...CLUSTER_ROLE_BINDING_TEXTS, ...more.bindings });
  for (const controller of Object.keys({ ...CONTROLLER_ROLE_TEXTS, ...more.controllers })) {
    texts.push([controllerRoleName(controller), [`account:kube-system/${controller}`]]);
  }
  return texts.map(([role, subjects]) => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: metadata(role),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: subjects.map(parseSubject),
  }));
}

export function defaultRoles(): Role[] {
  return NAMESPACE_ROLE_TEXTS.map((text) => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: { ...metadata(text.name), namespace: text.namespace },
    rules: text.rules.map(parseRule),
  }));
}

export function defaultRoleBindings(): RoleBinding[] {
  return NAMESPACE_ROLE_TEXTS.map((text) => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { ...metadata(text.bindingName ?? text.name), namespace: text.namespace },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: text.name },
    subjects: text.subjects.map(parseSubject),
  }));
}

/** `system:controller:<controller>`. */
export function controllerRoleName(controller: string): string {
  return `system:controller:${controller}`;
}

function clusterRole(name: string, text: ClusterRoleText): ClusterRole {
  const labels = text.aggregateTo === undefined ? LABELS : { ...LABELS, [aggregateLabel(text.aggregateTo)]: 'true' };
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { ...metadata(name), labels },
    ...(text.aggregates === undefined ? {} : { aggregationRule: aggregationRule(text.aggregates) }),
    rules: text.rules.map(parseRule),
  };
}

/** Some aggregate what others aggregated: again until nothing changes. */
function aggregateAll(roles: readonly ClusterRole[]): ClusterRole[] {
  const next = roles.map((role) => {
    if (role.aggregationRule === undefined) return role;
    const rules = aggregateRules(role, roles);
    return sameRules(rules, role.rules ?? []) ? role : { ...role, rules };
  });
  return next.some((role, i) => role !== roles[i]) ? aggregateAll(next) : next;
}

function aggregationRule(to: string): NonNullable<ClusterRole['aggregationRule']> {
  return { clusterRoleSelectors: [{ matchLabels: { [aggregateLabel(to)]: 'true' } }] };
}

function aggregateLabel(to: string): string {
  return `${RBAC}/aggregate-to-${to}`;
}

function metadata(name: string): { name: string; labels: typeof LABELS; annotations: typeof ANNOTATIONS } {
  return { name, labels: LABELS, annotations: ANNOTATIONS };
}

function parseSubject(text: string): Subject {
  const name = text.slice(text.indexOf(':') + 1);
  if (text.startsWith('user:')) return { apiGroup: RBAC, kind: 'User', name };
  if (text.startsWith('group:')) return { apiGroup: RBAC, kind: 'Group', name };
  const [namespace = '', account = ''] = name.split('/');
  return { kind: 'ServiceAccount', name: account, namespace };
}
