import type { ClusterRoleBinding, RoleBinding, Subject } from '@binnacle/api/rbac/v1';
import type { TablePrinter } from '../../ports/columns.ts';
import { AGE, NAME, createdAgo, nameOf, printer, text, wide } from '../../render/columns.ts';

/** RoleBindings and ClusterRoleBindings. */
export const roleBindingPrinter: TablePrinter = printer<RoleBinding | ClusterRoleBinding>(
  [
    NAME,
    text('Role', 'Whose rules are given.'),
    AGE,
    wide(text('Users', 'Users who get them.')),
    wide(text('Groups', 'Groups that get them.')),
    wide(text('ServiceAccounts', 'ServiceAccounts that get them.')),
  ],
  (binding, now) => [
    nameOf(binding),
    `${binding.roleRef.kind}/${binding.roleRef.name}`,
    createdAgo(binding, now),
    subjectsText(binding.subjects, 'User'),
    subjectsText(binding.subjects, 'Group'),
    subjectsText(binding.subjects, 'ServiceAccount'),
  ],
);

function subjectsText(subjects: readonly Subject[] | undefined, kind: string): string {
  return (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ namespace, name }) => (kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
    .join(', ');
}
