import { test } from 'node:test';
import { skipWithoutContainerd, startContainerdCluster } from '@binnacle/testkit';
import { floodWithPods } from './pod-flood.ts';

const skip = await skipWithoutContainerd();
const SEED = 20_261_122;

test(
  `60 pods of all shapes leave nothing behind, though their kubelet is killed (seed ${SEED})`,
  { skip },
  async () => {
    const cluster = await startContainerdCluster();
    try {
      await floodWithPods(cluster, { pods: 60, kills: 2, seed: SEED });
    } finally {
      await cluster.stop();
    }
  },
);
