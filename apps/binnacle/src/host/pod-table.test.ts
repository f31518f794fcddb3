import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { podRow, renderTable } from './pod-table.ts';

const NOW = Date.UTC(2026, 0, 2);

function pod(status: object, metadata: object = {}): Pod {
  const base = { namespace: 'default', name: 'web', ...metadata };
  return { metadata: base, spec: { containers: [{ name: 'c' }] }, status } as unknown as Pod;
}

const ROWS: readonly { readonly name: string; readonly pod: Pod; readonly cells: readonly string[] }[] = [
  {
    name: 'one that runs',
    pod: pod({
      phase: 'Running',
      startTime: '2026-01-01T00:00:00Z',
      containerStatuses: [{ name: 'c', ready: true, restartCount: 2, state: { running: {} } }],
    }),
    cells: ['1/1', 'Running', '2', '24h'],
  },
  {
    name: 'one in trouble',
    pod: pod({
      phase: 'Pending',
      startTime: '2026-01-01T23:59:01Z',
      containerStatuses: [{ name: 'c', ready: false, restartCount: 0, state: { waiting: { reason: 'ErrImagePull' } } }],
    }),
    cells: ['0/1', 'ErrImagePull', '0', '59s'],
  },
  { name: 'one that nobody has started', pod: pod({}), cells: ['0/1', 'Unknown', '0', '<unknown>'] },
  {
    name: 'one that ends',
    pod: pod({ phase: 'Running' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    cells: ['0/1', 'Terminating', '0', '<unknown>'],
  },
];

for (const row of ROWS) {
  test(row.name, () => assert.deepEqual(podRow(row.pod, NOW), ['default', 'web', ...row.cells]));
}

test('columns are as wide as what is in them', () => {
  assert.equal(renderTable(['A', 'B'], [['long', 'x']]), 'A      B\nlong   x\n');
});
