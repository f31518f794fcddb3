import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '@binnacle/api';
import type { ResourceInfo } from '@binnacle/api';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding } from '@binnacle/api/rbac/v1';
import { status } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { Authorizer } from '../ports/authorization.ts';
import type { RbacIndex } from '../access/rbac/rbac-index.ts';
import { compactRules, describeRule, findUncovered, quoteList } from '../access/rbac/rule-cover.ts';
import { MASTERS } from '../access/users.ts';

const RBAC = 'rbac.authorization.k8s.io';
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
const KINDS: ReadonlySet<string> = new Set(
  [ROLES, CLUSTER_ROLES, ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS].map((ref) => ref.resource),
);

/**
 * Nobody grants more than they have: a role may hold only rules that its writer has (or the writer may `escalate`),
 * a binding may point only to a role whose rules its writer has (or which the writer may `bind`).
 */
export function createRoleEscalation(index: RbacIndex, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'RoleEscalation',
    handles: (operation, info, subresource) =>
      info.group === RBAC && subresource === '' && operation !== 'DELETE' && KINDS.has(info.resource),
    validate(attributes) {
      if (attributes.user.groups.includes(MASTERS)) return undefined;
      const check = attributes.info.resource.endsWith('bindings') ? checkBinding : checkRole;
      return check(attributes, index, authorizer);
    },
  };
}

async function checkRole(attributes: AdmissionAttributes, index: RbacIndex, authorizer: Authorizer): Promise<void> {
  const role = attributes.object as Role | ClusterRole;
  const before = attributes.before as Role | ClusterRole | undefined;
  const rules = role.rules ?? [];
  const aggregation = 'aggregationRule' in role ? role.aggregationRule : undefined;
  const aggregationBefore = before !== undefined && 'aggregationRule' in before ? before.aggregationRule : undefined;
  if (before !== undefined && same(before.rules, role.rules) && same(aggregation, aggregationBefore)) return;
  if (await may('escalate', attributes, { info: attributes.info, name: attributes.name, authorizer })) return;
  if (aggregation !== undefined && findUncovered(rulesOf(attributes, index), EVERYTHING).length > 0) {
    throw refuse(attributes, 'must have cluster-admin privileges to use an aggregationRule');
  }
  confirmHeld(attributes, index, rules);
}

async function checkBinding(attributes: AdmissionAttributes, index: RbacIndex, authorizer: Authorizer): Promise<void> {
  const binding = attributes.object as RoleBinding | ClusterRoleBinding;
  const before = attributes.before as RoleBinding | ClusterRoleBinding | undefined;
  if (before !== undefined && same(before.subjects, binding.subjects) && same(before.roleRef, binding.roleRef)) return;
  const { roleRef } = binding;
  const ref = roleRef.kind === 'ClusterRole' ? CLUSTER_ROLES : ROLES;
  if (await may('bind', attributes, { info: ref, name: roleRef.name, authorizer })) return;
  const rules = index.rulesOf(roleRef, attributes.namespace);
  if (rules === undefined) {
    throw status.notFound({ group: RBAC, resource: ref.kind.toLowerCase() }, roleRef.name);
  }
  confirmHeld(attributes, index, rules);
}

function confirmHeld(attributes: AdmissionAttributes, index: RbacIndex, wanted: readonly PolicyRule[]): void {
  const missing = findUncovered(rulesOf(attributes, index), wanted);
  if (missing.length === 0) return;
  const lines = new Set(compactRules(missing).map(describeRule));
  const { name, groups } = attributes.user;
  const who = `user ${JSON.stringify(name)} (groups=${quoteList(groups)})`;
  throw refuse(
    attributes,
    `${who} is attempting to grant RBAC permissions not currently held:\n${[...lines].toSorted().join('\n')}`,
  );
}

function rulesOf(attributes: AdmissionAttributes, index: RbacIndex): PolicyRule[] {
  const sets = index.ruleSets(attributes.user, attributes.namespace);
  return sets.flatMap((set) => set.bound.flatMap((bound) => bound.rules));
}

async function may(
  verb: string,
  attributes: AdmissionAttributes,
  about: { info: Pick<ResourceInfo, 'group' | 'version' | 'resource'>; name: string; authorizer: Authorizer },
): Promise<boolean> {
  const { group, version, resource } = about.info;
  const asked = { user: attributes.user, verb, isResource: true, path: '', group, version, resource, subresource: '' };
  const answer = await about.authorizer.authorize({ ...asked, namespace: attributes.namespace, name: about.name });
  return answer.decision === 'allow';
}

function refuse(attributes: AdmissionAttributes, why: string): Error {
  return status.forbidden(attributes.info, attributes.name, why);
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? []) === JSON.stringify(b ?? []);
}
