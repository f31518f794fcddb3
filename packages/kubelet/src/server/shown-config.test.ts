import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeletConfig } from '../config.ts';
import { shownConfig } from './shown-config.ts';

test('what was set and what was not is shown by upstream’s names', () => {
  const shown = shownConfig(
    kubeletConfig({
      nodeName: 'n',
      maxPods: 7,
      evictionSoftGraceMs: { 'memory.available': 90_000 },
      kubeReserved: { milliCpu: 250, memoryBytes: 0, ephemeralStorageBytes: 0 },
    }),
  );
  assert.partialDeepStrictEqual(shown, {
    maxPods: 7,
    evictionSoftGracePeriod: { 'memory.available': '1m30s' },
    kubeReserved: { cpu: '250m' },
    systemReserved: {},
    nodeStatusUpdateFrequency: '10s',
    evictionHard: { 'memory.available': '100Mi' },
    imageMinimumGCAge: '2m0s',
    cgroupRoot: '/',
  });
});

test('pulls: one at a time, any number, or so many', () => {
  const shown = (parallelPullsMax?: number): readonly unknown[] => {
    const given = parallelPullsMax === undefined ? {} : { parallelPullsMax };
    const { serializeImagePulls, maxParallelImagePulls } = shownConfig(kubeletConfig({ nodeName: 'n', ...given })) as {
      readonly [field: string]: unknown;
    };
    return [serializeImagePulls, maxParallelImagePulls];
  };
  assert.deepEqual(
    [shown(), shown(0), shown(3)],
    [
      [true, undefined],
      [false, undefined],
      [false, 3],
    ],
  );
});
