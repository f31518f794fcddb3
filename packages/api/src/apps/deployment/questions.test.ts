import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment } from '../../generated/apps-v1.ts';
import { isDeploymentComplete, revisionOf } from './questions.ts';

interface Facts {
  readonly wanted?: number;
  readonly generation?: number;
  readonly status?: Deployment['status'];
}
const deployment = ({ wanted, generation, status }: Facts): Deployment => ({
  metadata: generation === undefined ? {} : { generation },
  spec: { template: { metadata: {}, spec: { containers: [] } }, ...(wanted === undefined ? {} : { replicas: wanted }) },
  ...(status === undefined ? {} : { status }),
});
const all = (count: number, observedGeneration = 1): Deployment['status'] => ({
  replicas: count,
  updatedReplicas: count,
  availableReplicas: count,
  observedGeneration,
});

const ROWS: readonly [name: string, facts: Facts, complete: boolean][] = [
  ['all there', { wanted: 3, generation: 1, status: all(3) }, true],
  ['one is meant where nothing is said', { generation: 1, status: all(1) }, true],
  ['none wanted, none there', { wanted: 0, generation: 1, status: all(0) }, true],
  ['none wanted, and no word yet', { wanted: 0, generation: 1 }, false],
  ['none wanted, nothing counted', { wanted: 0, generation: 1, status: { observedGeneration: 1 } }, true],
  ['the spec was not seen yet', { wanted: 3, generation: 2, status: all(3) }, false],
  ['seen later than this', { wanted: 3, generation: 1, status: all(3, 2) }, true],
  ['an old one is left', { wanted: 3, generation: 1, status: { ...all(3), replicas: 4 } }, false],
  ['one is not updated', { wanted: 3, generation: 1, status: { ...all(3), updatedReplicas: 2 } }, false],
  ['one is not available', { wanted: 3, generation: 1, status: { ...all(3), availableReplicas: 2 } }, false],
];
for (const [name, facts, complete] of ROWS)
  test(`a deployment is complete: ${name}`, () => assert.equal(isDeploymentComplete(deployment(facts)), complete));

for (const [name, text, revision] of [
  ['none', undefined, 0n],
  ['a number', '12', 12n],
  ['beyond 53 bits', '9007199254740993', 9007199254740993n],
  ['nonsense', 'x', 0n],
  ['nothing', '', 0n],
  ['too large', '9'.repeat(20), 0n],
  ['with a fraction', '1.0', 0n],
] as const)
  test(`the revision of a deployment: ${name}`, () => {
    const annotations = text === undefined ? {} : { annotations: { 'deployment.kubernetes.io/revision': text } };
    assert.equal(revisionOf({ ...deployment({}), metadata: annotations }), revision);
  });
