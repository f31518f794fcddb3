import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import { runAdmission } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createTopologyLabels } from './topology-labels.ts';

const cache = new MemoryCache();
const ZONE = 'topology.kubernetes.io/zone';
cache.put(NODES, { metadata: { name: 'n', labels: { [ZONE]: 'z', other: 'o' } } });

const CASES: readonly (readonly [name: string, resource: string, object: object, labels: object | undefined])[] = [
  ['a pod on a node', 'pods', { spec: { nodeName: 'n' } }, { [ZONE]: 'z' }],
  ['a pod without a node', 'pods', { spec: {} }, undefined],
  ['a pod on a node that is not there', 'pods', { spec: { nodeName: 'x' } }, undefined],
  ['a binding to a node', 'pods/binding', { target: { kind: 'Node', name: 'n' } }, { [ZONE]: 'z' }],
  ['a binding to something else', 'pods/binding', { target: { kind: 'Other', name: 'n' } }, undefined],
  ['a status', 'pods/status', { spec: { nodeName: 'n' } }, undefined],
];

for (const [name, resource, more, labels] of CASES) {
  test(name, async () => {
    const object: KubeObject = { metadata: { namespace: 'a', name: 'p' }, ...more };
    await runAdmission(createTopologyLabels(cache), { operation: 'CREATE', resource, object });
    assert.deepEqual(object.metadata.labels, labels);
  });
}
