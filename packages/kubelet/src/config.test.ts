import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeletConfig } from './config.ts';

test("upstream's defaults, unless told otherwise", () => {
  const config = kubeletConfig({ nodeName: 'n', maxPods: 10 });
  assert.deepEqual(
    [
      config.nodeName,
      config.maxPods,
      config.leasePeriodMs,
      config.leaseDurationSeconds,
      config.nodeStatusPeriodMs,
      config.backoffMaxMs,
      config.logMaxFiles,
      config.parallelPullsMax,
    ],
    ['n', 10, 10_000, 40, 300_000, 300_000, 5, 1],
  );
});
