import { test } from 'node:test';
import { skipWithoutContainerd, startContainerdCluster } from '@binnacle/testkit';
import { floodWithPods } from './pod-flood.ts';

const skip = await skipWithoutContainerd();
const SEED = Date.now();
/** `SOAK_PODS` says how many; a hundred take about two minutes, with four kills. */
const PODS = Number(process.env['SOAK_PODS'] ?? 500);

test(
  `${PODS} pods of all shapes leave nothing behind, though their kubelet is killed (seed ${SEED})`,
  { skip },
  async () => {
    const cluster = await startContainerdCluster();
    try {
      await floodWithPods(cluster, { pods: PODS, kills: Math.ceil(PODS / 25), seed: SEED });
    } finally {
      await cluster.stop();
    }
  },
);
