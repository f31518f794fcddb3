import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContainerStartError, VolumeError, VolumesError } from '../errors.ts';
import { testPod } from '../testing/node.ts';
import { pullProblems } from './image-volumes.ts';

const missing = new ContainerStartError('ImagePullBackOff', 'Back-off pulling image "x"');
const failed = new VolumesError(
  [new VolumeError('files', 'no', { cause: missing }), new VolumeError('other', 'a secret is not there')],
  { told: [], retryMs: 1 },
);

test('who mounts an image that cannot be pulled waits as for its own image; others wait without a word of it', () => {
  const initContainers = [{ name: 'i', image: 'busybox', volumeMounts: [{ name: 'files', mountPath: '/f' }] }];
  const volumeMounts = ['other', 'files'].map((name) => ({ name, mountPath: `/${name}` }));
  const pod = testPod({ spec: { initContainers }, container: { name: 'c', volumeMounts } });
  const problem = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' };
  assert.deepEqual(
    pullProblems(pod, failed.pulls),
    new Map([
      ['i', problem],
      ['c', problem],
    ]),
  );
  assert.equal(pullProblems(testPod({}), failed.pulls).size, 0);
  assert.equal(pullProblems(pod, new Map()).size, 0);
});
