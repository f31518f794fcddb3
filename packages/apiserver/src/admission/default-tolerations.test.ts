import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAdmission } from '../testing/admission.ts';
import { defaultTolerationSeconds } from './default-tolerations.ts';

test('DefaultTolerationSeconds adds what is missing', async () => {
  const pod = {
    metadata: { name: 'p' },
    spec: { containers: [], tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }] },
  };
  await runAdmission(defaultTolerationSeconds, { operation: 'CREATE', resource: 'pods', object: pod });
  assert.deepEqual(pod.spec.tolerations, [
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
  ]);
});
