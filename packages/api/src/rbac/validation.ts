import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '../generated/rbac-v1.ts';
import { isSemanticallyEqual } from '../validation/equality.ts';
import { validateLabelSelector } from '../validation/labels.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';

const GROUP = 'rbac.authorization.k8s.io';
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

export function validateRole(role: Role): FieldError[] {
  const report = new Report();
  validateRules(role.rules ?? [], true, report);
  return report.errors;
}

export function validateClusterRole(role: ClusterRole): FieldError[] {
  const report = new Report();
  validateRules(role.rules ?? [], false, report);
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  const path = fieldPath('aggregationRule', 'clusterRoleSelectors');
  if (role.aggregationRule && !selectors?.length) {
    report.required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil');
  }
  for (const [at, selector] of (selectors ?? []).entries()) validateLabelSelector(selector, path.index(at), report);
  return report.errors;
}

export function validateRoleBinding(binding: RoleBinding): FieldError[] {
  const report = new Report();
  validateBinding(binding, { kinds: ['Role', 'ClusterRole'], namespaced: true }, report);
  return report.errors;
}

export function validateClusterRoleBinding(binding: ClusterRoleBinding): FieldError[] {
  const report = new Report();
  validateBinding(binding, { kinds: ['ClusterRole'], namespaced: false }, report);
  return report.errors;
}

/** A binding keeps its role: whoever may change subjects must not give them another one. */
export function validateRoleBindingUpdate(binding: RoleBinding, before: RoleBinding): FieldError[] {
  return [...validateRoleBinding(binding), ...roleRefErrors(binding, before)];
}

export function validateClusterRoleBindingUpdate(
  binding: ClusterRoleBinding,
  before: ClusterRoleBinding,
): FieldError[] {
  return [...validateClusterRoleBinding(binding), ...roleRefErrors(binding, before)];
}

type AnyBinding = Pick<RoleBinding, 'roleRef' | 'subjects'>;

function roleRefErrors(binding: AnyBinding, before: AnyBinding): FieldError[] {
  const report = new Report();
  if (!isSemanticallyEqual('rbac.v1.RoleRef', binding.roleRef, before.roleRef)) {
    report.invalid(fieldPath('roleRef'), binding.roleRef, 'cannot change roleRef');
  }
  return report.errors;
}

interface BindingRules {
  readonly kinds: readonly string[];
  readonly namespaced: boolean;
}

function validateBinding(binding: AnyBinding, rules: BindingRules, report: Report): void {
  const { apiGroup, kind, name } = binding.roleRef;
  const path = fieldPath('roleRef');
  if (apiGroup !== GROUP) report.unsupported(path.child('apiGroup'), apiGroup, [GROUP]);
  if (!rules.kinds.includes(kind)) report.unsupported(path.child('kind'), kind, rules.kinds);
  if (!name) report.required(path.child('name'));
  else report.invalidEach(path.child('name'), name, names.pathSegmentErrors(name));
  for (const [at, subject] of (binding.subjects ?? []).entries()) {
    validateSubject({ subject, namespaced: rules.namespaced }, fieldPath('subjects').index(at), report);
  }
}

function validateSubject(
  given: { readonly subject: Subject; readonly namespaced: boolean },
  path: FieldPath,
  report: Report,
): void {
  const { kind, name, namespace } = given.subject;
  const apiGroup = given.subject.apiGroup ?? '';
  if (!name) report.required(path.child('name'));
  switch (kind) {
    case 'ServiceAccount':
      if (name) report.invalidEach(path.child('name'), name, names.subdomainErrors(name));
      if (apiGroup) report.unsupported(path.child('apiGroup'), apiGroup, ['']);
      if (!given.namespaced && !namespace) report.required(path.child('namespace'));
      break;
    case 'User':
    case 'Group':
      if (!name) report.invalid(path.child('name'), '', `${kind.toLowerCase()} name cannot be empty`);
      if (apiGroup !== GROUP) report.unsupported(path.child('apiGroup'), apiGroup, [GROUP]);
      break;
    default:
      report.unsupported(path.child('kind'), kind, SUBJECT_KINDS);
  }
}

function validateRules(rules: readonly PolicyRule[], namespaced: boolean, report: Report): void {
  for (const [at, rule] of rules.entries()) {
    const path = fieldPath('rules').index(at);
    if (!rule.verbs?.length) report.required(path.child('verbs'), 'verbs must contain at least one value');
    if (rule.nonResourceURLs?.length) validateUrls({ rule, namespaced }, path.child('nonResourceURLs'), report);
    else validateResources(rule, path, report);
  }
}

function validateUrls(
  given: { readonly rule: PolicyRule; readonly namespaced: boolean },
  path: FieldPath,
  report: Report,
): void {
  const { rule } = given;
  const urls = rule.nonResourceURLs;
  if (given.namespaced) report.invalid(path, urls, 'namespaced rules cannot apply to non-resource URLs');
  if (rule.apiGroups?.length || rule.resources?.length || rule.resourceNames?.length) {
    report.invalid(path, urls, 'rules cannot apply to both regular resources and non-resource URLs');
  }
}

function validateResources(rule: PolicyRule, path: FieldPath, report: Report): void {
  if (!rule.apiGroups?.length) {
    report.required(path.child('apiGroups'), 'resource rules must supply at least one api group');
  }
  if (!rule.resources?.length) {
    report.required(path.child('resources'), 'resource rules must supply at least one resource');
  }
}
