import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fenceOf } from './fence-header.ts';

const TERM = { namespace: 'kube-system', lease: 'kube-controller-manager', transitions: 3, holder: 'host_1f' };
const rows: readonly (readonly [name: string, text: string, fence: object | undefined | 'refused'])[] = [
  ['none', '', undefined],
  ['complete', 'kube-system/kube-controller-manager;3;host_1f', TERM],
  [
    'a holder of any letters',
    'kube-system/x;0;a%3Bb%20%C3%A4',
    { ...TERM, lease: 'x', transitions: 0, holder: 'a;b ä' },
  ],
  ['no holder', 'kube-system/x;0;', 'refused'],
  ['no namespace', 'x;0;a', 'refused'],
  ['no number', 'kube-system/x;-1;a', 'refused'],
  ['two of them', 'kube-system/x;0;a, kube-system/x;0;a', 'refused'],
  ['badly encoded', 'kube-system/x;0;%E4', 'refused'],
  ['a path out of the namespace', '../x;0;a/..', 'refused'],
  ['too long', `kube-system/x;0;${'a'.repeat(1025)}`, 'refused'],
];

for (const [name, text, fence] of rows) {
  test(name, () => {
    const read = (): unknown => fenceOf({ header: () => text });
    if (fence === 'refused') assert.throws(read, (error) => (error as { httpCode?: number }).httpCode === 400);
    else assert.deepEqual(read(), fence);
  });
}

test('in process it is said without a header', () => {
  assert.equal(fenceOf({ fence: TERM, header: () => 'nonsense' }), TERM);
});
