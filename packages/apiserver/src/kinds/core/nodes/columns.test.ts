import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells, meta } from '../../../testing/table.ts';
import type { TableRow } from '../../../testing/table.ts';

const ROWS: readonly TableRow[] = [
  [
    'node',
    'nodes',
    {
      metadata: meta({
        labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/control-plane': '' },
      }),
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'Unknown' }],
        addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
        nodeInfo: { kubeletVersion: 'v1.36.0', osImage: 'Debian' },
      },
    },
    [
      'x',
      'NotReady,SchedulingDisabled',
      'control-plane,worker',
      '90s',
      'v1.36.0',
      '192.0.2.1',
      '<none>',
      'Debian',
      '<unknown>',
      '<unknown>',
    ],
  ],
  [
    'node without status',
    'nodes',
    { metadata: meta(), spec: {} },
    ['x', 'Unknown', '<none>', '90s', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
  ],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}
