import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells, meta } from '../../testing/table.ts';
import type { TableRow } from '../../testing/table.ts';

const ROWS: readonly TableRow[] = [
  [
    'claim',
    'persistentvolumeclaims',
    {
      metadata: meta(),
      spec: { volumeName: 'v', storageClassName: 'fast', volumeMode: 'Filesystem' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
    },
    ['x', 'Bound', 'v', '1Gi', 'RWO,RWX', 'fast', '<unset>', '90s', 'Filesystem'],
  ],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}
