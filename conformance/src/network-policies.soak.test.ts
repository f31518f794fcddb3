/** The whole matrix of network policies with real containers: three namespaces, three pods in each. */
import { after, before, test } from 'node:test';
import { findKubectl, skipWithoutContainerd, startContainerdCluster, TestkitError } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import { FURTHER, holds, makeMatrix, SCENARIOS } from './policy-matrix.ts';
import type { Matrix } from './policy-matrix.ts';

const skip = await skipWithoutContainerd();
const PLACES = ['x', 'y', 'z'].flatMap((namespace) => ['a', 'b', 'c'].map((pod) => ({ namespace, pod })));
let cluster: OneProcessCluster;
let matrix: Matrix;

before(async () => {
  if (skip !== false) return;
  const kubectl = await findKubectl();
  if (kubectl === undefined) throw new TestkitError('this machine has no kubectl');
  cluster = await startContainerdCluster();
  matrix = { client: cluster.client, kubectl, kubeconfig: cluster.kubeconfig, places: PLACES };
  await makeMatrix(matrix);
});

after(async () => {
  if (skip === false) await cluster.stop();
});

for (const scenario of [...SCENARIOS, ...FURTHER]) {
  test(scenario.name, { skip }, () => holds(matrix, scenario));
}
