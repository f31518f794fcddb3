import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CSIDriver, StorageClass } from '../generated/storage-v1.ts';
import { csiDriverWarnings, storageCapacityWarnings, storageClassWarnings } from './warnings.ts';

const ZONE = 'failure-domain.beta.kubernetes.io/zone';
const USE = 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead';
const storageClass = (...terms: readonly (readonly string[])[]): StorageClass => ({
  metadata: {},
  provisioner: 'p',
  allowedTopologies: terms.map((keys) => ({ matchLabelExpressions: keys.map((key) => ({ key, values: ['a'] })) })),
});
for (const [name, given, warnings] of [
  ['nothing is said', { metadata: {}, provisioner: 'p' }, []],
  ['a term of nothing', storageClass([]), []],
  ['labels in use', storageClass(['topology.kubernetes.io/zone', 'constructor']), []],
  [
    'each with its place',
    storageClass(['a', ZONE], [ZONE]),
    [
      `allowedTopologies[0].matchLabelExpressions[1].key: ${USE}`,
      `allowedTopologies[1].matchLabelExpressions[0].key: ${USE}`,
    ],
  ],
] as const)
  test(`a storage class’s warnings: ${name}`, () => assert.deepEqual(storageClassWarnings(given), warnings));
test('a storage class’s warnings: a term without expressions', () =>
  assert.deepEqual(storageClassWarnings({ metadata: {}, provisioner: 'p', allowedTopologies: [{}] }), []));

test('a capacity’s warnings: in both sorts of terms', () => {
  const nodeTopology = { matchLabels: { [ZONE]: 'a' }, matchExpressions: [{ key: ZONE, operator: 'Exists' }] };
  assert.deepEqual(storageCapacityWarnings({ metadata: {}, storageClassName: 's', nodeTopology }), [
    `nodeTopology.matchExpressions[0].key: ${ZONE} is ${USE}`,
    `nodeTopology.matchLabels.${ZONE}: ${USE}`,
  ]);
});

const asks = { tokenRequests: [{ audience: 'a' }] };
const driver = (spec: CSIDriver['spec']): CSIDriver => ({ metadata: {}, spec });
const TOKENS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';
for (const [name, after, before, warned] of [
  ['asks for none', driver({}), undefined, false],
  ['a list of none', driver({ tokenRequests: [] }), undefined, false],
  ['asks, and says not how', driver(asks), undefined, true],
  ['asks, in Secrets', driver({ ...asks, serviceAccountTokenInSecrets: true }), undefined, false],
  ['asks, in attributes', driver({ ...asks, serviceAccountTokenInSecrets: false }), undefined, false],
  ['asked before', driver(asks), driver(asks), false],
  ['asks for others now', driver(asks), driver({ tokenRequests: [{ audience: 'b' }] }), true],
  ['asks now', driver(asks), driver({}), true],
  ['asks no more', driver({}), driver(asks), false],
] as const)
  test(`a CSI driver’s warning: ${name}`, () =>
    assert.deepEqual(csiDriverWarnings(after, before), warned ? [TOKENS] : []));
