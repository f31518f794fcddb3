import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells, meta } from '../../testing/table.ts';
import type { TableRow } from '../../testing/table.ts';

const ROWS: readonly TableRow[] = [
  ['namespace', 'namespaces', { metadata: meta(), status: { phase: 'Active' } }, ['x', 'Active', '90s']],
  ['secret', 'secrets', { metadata: meta(), type: 'Opaque', data: { a: '', b: '' } }, ['x', 'Opaque', 2, '90s']],
  ['config map', 'configmaps', { metadata: meta(), data: { a: '' }, binaryData: { b: '' } }, ['x', 2, '90s']],
  ['service account', 'serviceaccounts', { metadata: meta() }, ['x', 0, '90s']],
  [
    'definition',
    'customresourcedefinitions.apiextensions.k8s.io',
    { metadata: { name: 'x', creationTimestamp: '2025-12-31T23:58:30Z' } },
    ['x', '2025-12-31T23:58:30Z'],
  ],
  ['lease', 'leases.coordination.k8s.io', { metadata: meta(), spec: { holderIdentity: 'n1' } }, ['x', 'n1', '90s']],
  [
    'priority class',
    'priorityclasses.scheduling.k8s.io',
    { metadata: meta(), value: 5 },
    ['x', 5, false, '90s', 'PreemptLowerPriority'],
  ],
  [
    'budget',
    'poddisruptionbudgets.policy',
    { metadata: meta(), spec: { minAvailable: '50%' } },
    ['x', '50%', 'N/A', 0, '90s'],
  ],
  [
    'quota',
    'resourcequotas',
    { metadata: meta(), status: { hard: { pods: '3', 'limits.cpu': '2' }, used: { pods: '1' } } },
    ['x', 'pods: 1/3', 'limits.cpu: 0/2', '90s'],
  ],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}
