import type { Draft } from '../draft.ts';
import type { ClusterRoleBinding, RoleBinding, Subject } from '../generated/rbac-v1.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** Of a RoleBinding or ClusterRoleBinding: users, groups and roles are RBAC's own unless said otherwise. */
export function defaultBinding(binding: Draft<RoleBinding> | Draft<ClusterRoleBinding>): void {
  if (binding.roleRef && !binding.roleRef.apiGroup) binding.roleRef.apiGroup = RBAC_GROUP;
  for (const subject of binding.subjects ?? []) defaultSubject(subject);
}

function defaultSubject(subject: Draft<Subject>): void {
  if (!subject.apiGroup && (subject.kind === 'User' || subject.kind === 'Group')) subject.apiGroup = RBAC_GROUP;
}
