import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PersistentVolume } from '@binnacle/api/core/v1';
import { decideVolume } from './decide-volume.ts';
import { FINALIZER, NODE_ANNOTATION, PROVISIONED_BY, PROVISIONER } from './names.ts';

const NAME = 'pvc-01234567-89ab-cdef-0123-456789abcdef';
const ROOT = '/volumes';
const mine = { [PROVISIONED_BY]: PROVISIONER, [NODE_ANNOTATION]: 'mine' };

interface Row {
  readonly name: string;
  readonly phase: 'Bound' | 'Released' | 'Available' | 'Failed';
  readonly goes?: true;
  readonly policy?: 'Retain' | 'Delete';
  readonly annotations?: { readonly [key: string]: string };
  readonly path?: string;
  readonly volumeName?: string;
  readonly expected: 'nothing' | 'remove' | 'let-go' | 'refuse';
}

const ROWS: readonly Row[] = [
  { name: 'bound', phase: 'Bound', expected: 'nothing' },
  { name: 'bound, and to go', phase: 'Bound', goes: true, expected: 'nothing' },
  { name: 'let go', phase: 'Released', expected: 'remove' },
  { name: 'let go, once in vain', phase: 'Failed', expected: 'remove' },
  { name: 'never bound, and to go', phase: 'Available', goes: true, expected: 'remove' },
  { name: 'to be kept', phase: 'Released', policy: 'Retain', expected: 'nothing' },
  { name: 'its data to be kept, and to go', phase: 'Released', goes: true, policy: 'Retain', expected: 'let-go' },
  { name: 'of another node', phase: 'Released', annotations: { ...mine, [NODE_ANNOTATION]: 'x' }, expected: 'nothing' },
  { name: 'of another maker', phase: 'Released', annotations: { ...mine, [PROVISIONED_BY]: 'x' }, expected: 'nothing' },
  { name: 'with a path of somebody’s choosing', phase: 'Released', path: '/etc', expected: 'refuse' },
  { name: 'with a name that leads out', phase: 'Released', volumeName: '..', path: '/volumes/..', expected: 'refuse' },
];

for (const { name, phase, goes, policy = 'Delete', annotations = mine, volumeName = NAME, ...row } of ROWS) {
  test(`a volume: ${name}`, () => {
    const volume: PersistentVolume = {
      metadata: {
        name: volumeName,
        annotations,
        finalizers: [FINALIZER],
        ...(goes ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      },
      spec: { persistentVolumeReclaimPolicy: policy, local: { path: row.path ?? `${ROOT}/${NAME}` } },
      status: { phase },
    };
    const decision = decideVolume(volume, { root: ROOT, isOurNode: (node) => node === 'mine' });
    assert.equal(decision.do, row.expected);
    if (decision.do === 'remove') assert.equal(decision.directory, `${ROOT}/${NAME}`);
  });
}
