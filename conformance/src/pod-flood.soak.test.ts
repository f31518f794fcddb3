import { test } from 'node:test';
import { skipWithoutContainerd, startContainerdCluster } from '@binnacle/testkit';
import { floodWithPods } from './pod-flood.ts';

const skip = await skipWithoutContainerd();
const SEED = Date.now();

test(
  `500 pods of all shapes leave nothing behind, though their kubelet is killed (seed ${SEED})`,
  { skip },
  async () => {
    const cluster = await startContainerdCluster();
    try {
      await floodWithPods(cluster, { pods: 500, kills: 20, seed: SEED });
    } finally {
      await cluster.stop();
    }
  },
);
