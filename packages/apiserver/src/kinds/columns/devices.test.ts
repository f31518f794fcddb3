import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells, meta } from '../../testing/table.ts';
import type { TableRow } from '../../testing/table.ts';

// Upstream: pkg/printers/internalversion/printers.go.
const ROWS: readonly TableRow[] = [
  [
    'a driver that says nothing',
    'csidrivers.storage.k8s.io',
    { metadata: meta(), spec: {} },
    ['x', true, false, false, '<unset>', false, '<none>', '90s'],
  ],
  [
    'a driver',
    'csidrivers.storage.k8s.io',
    {
      metadata: meta(),
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: true,
        tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
        requiresRepublish: true,
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      },
    },
    ['x', false, true, true, 'a,b', true, 'Persistent,Ephemeral', '90s'],
  ],
  ['drivers of a node', 'csinodes.storage.k8s.io', { metadata: meta(), spec: { drivers: [{}, {}] } }, ['x', 2, '90s']],
  [
    'room',
    'csistoragecapacities.storage.k8s.io',
    { metadata: meta(), storageClassName: 'c', capacity: '1Gi' },
    ['x', 'c', '1Gi'],
  ],
  [
    'unknown room',
    'csistoragecapacities.storage.k8s.io',
    { metadata: meta(), storageClassName: 'c' },
    ['x', 'c', '<unset>'],
  ],
  [
    'an attachment',
    'volumeattachments.storage.k8s.io',
    {
      metadata: meta(),
      spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } },
      status: { attached: true },
    },
    ['x', 'a', 'p', 'n', true, '90s'],
  ],
  [
    'an attributes class',
    'volumeattributesclasses.storage.k8s.io',
    { metadata: meta(), driverName: 'd' },
    ['x', 'd', '90s'],
  ],
  ['a claim that waits', 'resourceclaims.resource.k8s.io', { metadata: meta(), spec: {} }, ['x', 'pending', '90s']],
  [
    'a claim in use',
    'resourceclaims.resource.k8s.io',
    { metadata: meta(), spec: {}, status: { allocation: {}, reservedFor: [{}] } },
    ['x', 'allocated,reserved', '90s'],
  ],
  [
    'a claim that goes',
    'resourceclaims.resource.k8s.io',
    { metadata: meta({ deletionTimestamp: '2026-01-01T00:00:00Z' }), spec: {}, status: { allocation: {} } },
    ['x', 'deleted,allocated', '90s'],
  ],
  [
    'a slice',
    'resourceslices.resource.k8s.io',
    { metadata: meta(), spec: { nodeName: 'n', driver: 'd', pool: { name: 'p' } } },
    ['x', 'n', 'd', 'p', '90s'],
  ],
  ['a template', 'resourceclaimtemplates.resource.k8s.io', { metadata: meta() }, ['x', '90s']],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}
