import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { askedSize, decideClaim } from './decide-claim.ts';
import type { ClaimView } from './decide-claim.ts';
import { ASKED_OF, PROVISIONER, SELECTED_NODE } from './names.ts';

const asked = { [ASKED_OF]: PROVISIONER };
const placed = { ...asked, [SELECTED_NODE]: 'mine' };

interface Row {
  readonly name: string;
  readonly annotations?: { readonly [key: string]: string };
  readonly spec?: Partial<PersistentVolumeClaim['spec']>;
  readonly storage?: Partial<StorageClass>;
  readonly goes?: true;
  readonly expected: string | RegExp;
}

const ROWS: readonly Row[] = [
  { name: 'asked of somebody else', annotations: { [SELECTED_NODE]: 'mine' }, expected: 'nothing' },
  { name: 'no node yet', annotations: asked, expected: 'nothing' },
  { name: 'a node of ours', annotations: placed, expected: 'provision mine' },
  { name: 'a node of another process', annotations: { ...asked, [SELECTED_NODE]: 'other' }, expected: 'nothing' },
  { name: 'a node that is gone', annotations: { ...asked, [SELECTED_NODE]: 'gone' }, expected: 'give-back' },
  { name: 'it has its volume', annotations: placed, spec: { volumeName: 'v' }, expected: 'nothing' },
  { name: 'it goes', annotations: placed, goes: true, expected: 'nothing' },
  { name: 'a class of another provisioner', annotations: placed, storage: { provisioner: 'x' }, expected: 'nothing' },
  { name: 'shared', annotations: placed, spec: { accessModes: ['ReadWriteMany'] }, expected: /ReadWriteMany/ },
  { name: 'a device', annotations: placed, spec: { volumeMode: 'Block' }, expected: /Block/ },
  { name: 'a selector', annotations: placed, spec: { selector: {} }, expected: /Selector/ },
  {
    name: 'a copy',
    annotations: placed,
    spec: { dataSource: { kind: 'PersistentVolumeClaim', name: 'c' } },
    expected: /data source/,
  },
  { name: 'attributes', annotations: placed, spec: { volumeAttributesClassName: 'gold' }, expected: /Attributes/ },
  { name: 'a parameter', annotations: placed, storage: { parameters: { path: '/etc' } }, expected: /"path"/ },
  { name: 'mount options', annotations: placed, storage: { mountOptions: ['ro'] }, expected: /mount options/ },
  {
    name: 'at once, without a node',
    annotations: asked,
    storage: { volumeBindingMode: 'Immediate' },
    expected: /WaitForFirstConsumer/,
  },
];

const view = (storage: Partial<StorageClass>): ClaimView => ({
  storageClass: () => ({
    metadata: { name: 'local-path' },
    provisioner: PROVISIONER,
    volumeBindingMode: 'WaitForFirstConsumer',
    ...storage,
  }),
  hasNode: (name) => name !== 'gone',
  isOurNode: (name) => name === 'mine',
});

for (const { name, annotations = {}, spec = {}, storage = {}, goes, expected } of ROWS) {
  test(`a claim: ${name}`, () => {
    const claim: PersistentVolumeClaim = {
      metadata: { name: 'c', annotations, ...(goes ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
      spec: { accessModes: ['ReadWriteOnce'], ...spec },
    };
    const decision = decideClaim(claim, view(storage));
    if (expected instanceof RegExp) return assert.match(decision.do === 'refuse' ? decision.message : '', expected);
    assert.equal(decision.do === 'provision' ? `provision ${decision.node}` : decision.do, expected);
  });
}

for (const [name, phase, has, expected] of [
  ['more', 'Bound', '1', '2'],
  ['what it has', 'Bound', '2', undefined],
  ['nothing yet', 'Pending', '1', undefined],
] as const) {
  test(`a claim asks for: ${name}`, () => {
    const claim: PersistentVolumeClaim = {
      metadata: {},
      spec: { resources: { requests: { storage: '2' } } },
      status: { phase, capacity: { storage: has } },
    };
    assert.equal(
      askedSize(claim, (a, b) => Number(a) > Number(b)),
      expected,
    );
  });
}
