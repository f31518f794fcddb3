import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells, meta } from '../../testing/table.ts';
import type { TableRow } from '../../testing/table.ts';

const ROWS: readonly TableRow[] = [
  ['role', 'roles.rbac.authorization.k8s.io', { metadata: meta() }, ['x', '2026-01-01T11:58:30Z']],
  [
    'role binding',
    'rolebindings.rbac.authorization.k8s.io',
    {
      metadata: meta(),
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
      ],
    },
    ['x', 'Role/r', '90s', 'u', '', 'n/s'],
  ],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}
